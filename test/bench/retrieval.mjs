/**
 * `npm run bench:retrieval -- [--documents n] [--queries n] [--times n | --chunks 1000000 [--minutes n]]`: prepares the checkout, then
 * measures searches and indexing. With `--chunks` the large base has so many passages, and the small one about 10 000.
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
await import(new URL('../../dist/test/bench/retrieval/main.js', import.meta.url).href);
