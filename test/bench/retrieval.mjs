/**
 * `npm run bench:retrieval -- [--documents n] [--queries n] [--times n | --chunks 1000000 [--minutes n]]`: prepares the checkout, then
 * measures searches and indexing. With `--chunks` the large base has so many passages, and the small one about 10 000.
 *
 * Where Debian's packages `postgresql-doc` and `python3-doc` are installed it also compares the search with plain BM25 on these manuals.
 * `--manuals <folder>`: the folder with their documentation (`/usr/share/doc`); `--manuals-only`: nothing else is measured.
 */
import './prepared.mjs';

// Built by the line above, and not before.
await import('../../dist/test/bench/retrieval/main.js');
