/**
 * Every benchmark imports this file first. This file prepares the checkout. If it cannot, it prints the reason and
 * exits.
 */
import { CheckoutError, prepareCheckout } from '../../apps/standalone/checkout.mjs';

try {
  await prepareCheckout((line) => process.stderr.write(`${line}\n`), { tests: true });
} catch (error) {
  if (!(error instanceof CheckoutError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
