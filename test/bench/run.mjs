/** `npm run bench -- [--quick] [--only <scenario>] [--json <file>] [--profile <folder>] [--set NAME=value]`: prepares the checkout, then measures. */
import './prepared.mjs';

// Built by the line above, and not before.
await import('../../dist/test/bench/main.js');
