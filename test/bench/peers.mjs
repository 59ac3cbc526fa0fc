/**
 * `npm run bench:peers -- [--quick] [--only n8n,dbos,restate] [--rounds n] [--json <file>] [--packages <folder>]`:
 * compares this service with n8n, DBOS Transact and Restate. Prepares the checkout, installs the three peers outside
 * the checkout, and then measures them and this service in turns.
 */
import './prepared.mjs';

// The import of prepared.mjs ensures that the benchmark in `dist` is up to date.
await import('../../dist/test/bench/peers/main.js');
