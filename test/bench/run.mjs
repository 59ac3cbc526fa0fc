/**
 * `npm run bench -- [--quick] [--only <scenario>] [--json <file>] [--profile <folder>] [--set NAME=value]`: prepares
 * the checkout, and then measures this service.
 */
import './prepared.mjs';

// The import of prepared.mjs has compiled the benchmark to `dist` before this line runs.
await import('../../dist/test/bench/main.js');
