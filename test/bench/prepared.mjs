/** What every benchmark imports first: prepares the checkout, or says why it cannot and ends. */
import { CheckoutError, prepareCheckout } from '../../apps/standalone/checkout.mjs';

try {
  await prepareCheckout((line) => process.stderr.write(`${line}\n`));
} catch (error) {
  if (!(error instanceof CheckoutError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
