/**
 * `npm run bench:peers -- [--quick] [--only n8n,dbos,restate] [--rounds n] [--json <file>] [--packages <folder>]`:
 * prepares the checkout, and installs n8n, DBOS Transact and Restate outside the checkout. Then measures these three
 * and this service in turns.
 */
import './prepared.mjs';

// The import above builds this file first.
await import('../../dist/test/bench/peers/main.js');
