/** `npm start`: prepares the checkout, then becomes the service. It stays one process, so that signals reach the service. */
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

/** npm puts a shell between itself and us, which dies of a signal without passing it on; we must not be left running alone. */
function stopWithParent() {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGHUP');
  }, 250);
  watch.unref();
}
