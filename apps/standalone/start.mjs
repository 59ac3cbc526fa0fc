/** Prepares the checkout and then runs the service in this process, so that signals reach it. */
import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { CheckoutError, prepareCheckout, ROOT } from './checkout.mjs';

// npm can end while the checkout is prepared. The service must not start then.
if (process.env.npm_lifecycle_event) stopWithParent();
try {
  await prepareCheckout();
} catch (error) {
  if (!(error instanceof CheckoutError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
const settings = join(ROOT, '.env');
if (existsSync(settings)) process.loadEnvFile(settings);
// Node.js 20 has no compile cache.
module.enableCompileCache?.(join(ROOT, 'dist/.compile-cache'));
await import(pathToFileURL(join(ROOT, 'dist/apps/standalone/src/main.js')).href);

/**
 * The npm script starts this process with `exec`: a shell between them would end at once after a signal, and npm with
 * it, before the service.
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
