/**
 * `npm run bench:peers -- [--quick] [--only n8n,dbos] [--rounds n] [--json <file>] [--packages <folder>]`: prepares the checkout,
 * installs n8n and DBOS Transact outside of it, then measures them and this service in turns.
 */
import './prepared.mjs';

// Built by the line above, and not before.
await import('../../dist/test/bench/peers/main.js');
