/** `npm run bench:retrieval -- [--documents n] [--queries n] [--times n]`: prepares the checkout, then measures searches and indexing. */
import { CheckoutError, prepareCheckout } from '../../apps/standalone/checkout.mjs';

try {
  await prepareCheckout((line) => process.stderr.write(`${line}\n`));
} catch (error) {
  if (!(error instanceof CheckoutError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
await import('../../dist/test/bench/retrieval/main.js');
