/**
 * `npm run keys` and `npm run workspaces`: prepares the checkout as `npm start` does, then runs the command of that name.
 * What it is busy with goes to standard error, because a script may want nothing but the key from standard output.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { CheckoutError, prepareCheckout, ROOT } from './checkout.mjs';

// An image carries what was compiled and no sources: there is nothing to prepare.
const isCheckout = existsSync(join(ROOT, 'tsconfig.build.json'));
try {
  if (isCheckout) await prepareCheckout((line) => process.stderr.write(`${line}\n`));
} catch (error) {
  if (!(error instanceof CheckoutError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
const settings = join(ROOT, '.env');
if (existsSync(settings)) process.loadEnvFile(settings);
const [name] = process.argv.splice(2, 1);
await import(pathToFileURL(join(ROOT, `dist/apps/standalone/src/commands/${name}.command.js`)).href);
