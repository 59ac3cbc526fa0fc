/** `npm run bench -- [--quick] [--only <scenario>] [--json <file>] [--profile <folder>] [--set NAME=value]`: prepares the checkout, then measures. */
import { CheckoutError, prepareCheckout } from '../../apps/standalone/checkout.mjs';

try {
  await prepareCheckout((line) => process.stderr.write(`${line}\n`));
} catch (error) {
  if (!(error instanceof CheckoutError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
await import('../../dist/test/bench/main.js');
