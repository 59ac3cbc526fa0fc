/**
 * `npm run bench:retrieval -- [--documents n] [--queries n] [--times n | --chunks 1000000 [--minutes n]]`: prepares the checkout, then
 * measures searches and indexing. With `--chunks` the large base has so many passages, and the small one about 10 000.
 */
import './prepared.mjs';

// Built by the line above, and not before.
await import('../../dist/test/bench/retrieval/main.js');
