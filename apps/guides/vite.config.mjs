import { join } from 'node:path';
import { defineConfig } from 'vite';
import { compressedTwins } from '../compressed-twins.mjs';
import { thirdPartyLicenses } from '../third-party-licenses.mjs';
import { guidesPlugin } from './build/guides-plugin.ts';

const ROOT = join(import.meta.dirname, '../..');
const outDir = join(ROOT, 'dist/docs');

export default defineConfig({
  root: import.meta.dirname,
  base: '/docs/guides/',
  cacheDir: join(ROOT, 'node_modules/.cache/guides'),
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { input: join(import.meta.dirname, 'src/main.ts') },
  },
  plugins: [guidesPlugin(ROOT), compressedTwins(outDir), thirdPartyLicenses()],
});
