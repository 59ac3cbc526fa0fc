/** Every benchmark imports this file first. It prepares the checkout, or exits with the reason why it cannot. */
import { CheckoutError, prepareCheckout } from '../../apps/standalone/checkout.mjs';

try {
  await prepareCheckout((line) => process.stderr.write(`${line}\n`));
} catch (error) {
  if (!(error instanceof CheckoutError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
