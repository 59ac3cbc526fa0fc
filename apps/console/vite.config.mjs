import { join } from 'node:path';
import { defineConfig } from 'vite';
import { compressedTwins } from '../compressed-twins.mjs';
import { cookbookTemplates } from '../cookbook-templates.mjs';
import { earlyScript } from '../early-script.mjs';
import { englishOnly } from '../english-only.mjs';
import { errorRemedies } from '../error-remedies.mjs';
import { expressionFunctions } from '../expression-functions.mjs';
import { thirdPartyLicenses } from '../third-party-licenses.mjs';

const ROOT = join(import.meta.dirname, '../..');
/** URL of the API to which `npm run console` forwards requests. */
const API = process.env.CONSOLE_API ?? 'http://127.0.0.1:3000';

const FIRST_REQUEST = join(import.meta.dirname, 'src/first-request.ts');
const outDir = join(ROOT, 'dist/console');

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  cacheDir: join(ROOT, 'node_modules/.cache/console'),
  // The API replaces `NONCE` by a new nonce in each response.
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
      // Ignores warnings about the directive 'use client'. It has no meaning in the console, which is not rendered on a
      // server.
      onwarn: (warning, warn) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
      // Each file costs a request, and a browser sends six at once. The first page therefore needs one script.
      output: {
        codeSplitting: { groups: [{ name: 'first', tags: ['$initial'], test: (id) => id !== FIRST_REQUEST }] },
      },
    },
  },
  plugins: [
    cookbookTemplates(),
    errorRemedies(),
    expressionFunctions(),
    englishOnly(),
    earlyScript(FIRST_REQUEST),
    compressedTwins(join(outDir, 'assets')),
    thirdPartyLicenses(),
  ],
  server: { proxy: { '/v1': API, '/auth': API } },
});
