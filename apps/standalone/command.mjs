/**
 * Runs an operator command such as `npm run keys`, after preparing the checkout as `npm start` does. Progress is
 * written to standard error, so that standard output contains only the result.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { CheckoutError, prepareCheckout, ROOT } from './checkout.mjs';

// A container image contains no sources, so there is nothing to build.
const isCheckout = existsSync(join(ROOT, 'tsconfig.json'));
try {
  if (isCheckout) await prepareCheckout((line) => process.stderr.write(`${line}\n`));
} catch (error) {
  if (!(error instanceof CheckoutError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
const settings = join(ROOT, '.env');
if (existsSync(settings)) process.loadEnvFile(settings);
await import(pathToFileURL(join(ROOT, 'dist/apps/standalone/src/commands/main.js')).href);
