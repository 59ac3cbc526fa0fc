/**
 * `npm run bench -- [--quick] [--only <scenario>] [--json <file>] [--profile <folder>] [--set NAME=value]`: prepares
 * the checkout, and then measures this service.
 */
import './prepared.mjs';

// The import of prepared.mjs ensures that the benchmark in `dist` is up to date.
await import('../../dist/test/bench/main.js');
