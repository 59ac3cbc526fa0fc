/**
 * `npm run bench:peers -- [--quick] [--only n8n,dbos] [--rounds n] [--json <file>] [--packages <folder>]`: prepares the checkout,
 * installs n8n and DBOS Transact outside of it, then measures them and this service in turns.
 */
import { CheckoutError, prepareCheckout } from '../../apps/standalone/checkout.mjs';

try {
  await prepareCheckout((line) => process.stderr.write(`${line}\n`));
} catch (error) {
  if (!(error instanceof CheckoutError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
// Built by the line above, and not before.
await import(new URL('../../dist/test/bench/peers/main.js', import.meta.url).href);
