import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defineConfig } from 'vite';

const ROOT = join(import.meta.dirname, '../..');
const COMPRESSIBLE = /\.(js|css|svg|json)$/;
/** The api that `npm run console` forwards requests to. */
const API = process.env.CONSOLE_API ?? 'http://127.0.0.1:3000';

/** Writes `.br` and `.gz` beside each file, so that the api compresses nothing while it serves. */
function compressedTwins(folder) {
  return {
    name: 'compressed-twins',
    apply: 'build',
    async closeBundle() {
      const files = (await readdir(folder)).filter((file) => COMPRESSIBLE.test(file));
      await Promise.all(files.map((file) => compress(join(folder, file))));
    },
  };
}

async function compress(path) {
  const bytes = await readFile(path);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
  await Promise.all([
    promisify(brotliCompress)(bytes, quality).then((small) => writeFile(`${path}.br`, small)),
    promisify(gzip)(bytes, { level: 9 }).then((small) => writeFile(`${path}.gz`, small)),
  ]);
}

const outDir = join(ROOT, 'dist/console');

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  cacheDir: join(ROOT, 'node_modules/.cache/console'),
  // The api replaces this text by a new nonce in each response.
  html: { cspNonce: 'NONCE' },
  oxc: { jsx: { runtime: 'automatic' } },
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // Ignores warnings about 'use client'. Libraries have it for rendering on a server, which the console does not
      // do.
      onwarn: (warning, warn) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  plugins: [compressedTwins(join(outDir, 'assets'))],
  server: { proxy: { '/v1': API, '/auth': API } },
});
