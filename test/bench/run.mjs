/**
 * `npm run bench -- [--quick] [--only <scenario>] [--json <file>] [--profile <folder>] [--set NAME=value]`: prepares
 * the checkout, and then measures this service.
 */
import './prepared.mjs';

// The import above builds this file first.
await import('../../dist/test/bench/main.js');
