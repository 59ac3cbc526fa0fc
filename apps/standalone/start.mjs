/**
 * The program of `npm start`. Prepares the checkout and then runs the service in this process, so that signals reach
 * it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { CheckoutError, prepareCheckout, ROOT } from './checkout.mjs';

try {
  await prepareCheckout();
} catch (error) {
  if (!(error instanceof CheckoutError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
const settings = join(ROOT, '.env');
if (existsSync(settings)) process.loadEnvFile(settings);
if (process.env.npm_lifecycle_event) stopWithParent();
await import(pathToFileURL(join(ROOT, 'dist/apps/standalone/src/main.js')).href);

/**
 * Stops this process when its shell has ended. npm starts this process through a shell, which does not forward signals.
 */
function stopWithParent() {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGHUP');
  }, 250);
  watch.unref();
}
