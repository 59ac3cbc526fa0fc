/**
 * `npm run bench:peers -- [--quick] [--only n8n,dbos] [--rounds n] [--json <file>] [--packages <folder>]`: prepares the
 * checkout and installs n8n and DBOS Transact outside the checkout. Then measures these two and this service in turns.
 */
import './prepared.mjs';

// The import above builds this file first.
await import('../../dist/test/bench/peers/main.js');
