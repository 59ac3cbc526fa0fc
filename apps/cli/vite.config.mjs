import { chmod } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { defineConfig } from 'vite';
import { cookbookTemplates } from '../cookbook-templates.mjs';
import { skillModule } from '../skill-module.mjs';
import { thirdPartyLicenses } from '../third-party-licenses.mjs';

const ROOT = join(import.meta.dirname, '../..');
const outDir = join(ROOT, 'dist/cli');

/** The file must be executable, because `npx aas` starts it directly. */
const executable = {
  name: 'executable',
  apply: 'build',
  closeBundle: () => chmod(join(outDir, 'aas.mjs'), 0o755),
};

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: join(ROOT, 'node_modules/.cache/cli'),
  build: {
    outDir,
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2_000,
    lib: { entry: join(import.meta.dirname, 'src/main.ts'), formats: ['es'] },
    rolldownOptions: {
      external: [...builtinModules, /^node:/],
      platform: 'node',
      output: {
        entryFileNames: 'aas.mjs',
        codeSplitting: false,
        banner: '#!/usr/bin/env node',
      },
    },
  },
  plugins: [cookbookTemplates(), skillModule(), executable, thirdPartyLicenses()],
});
