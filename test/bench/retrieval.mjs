/**
 * `npm run bench:retrieval -- [--documents n] [--queries n] [--times n | --chunks 1000000 [--minutes n]]`: prepares the
 * checkout, and then measures searches and indexing. `--chunks` sets the number of passages in the large knowledge
 * base. The small knowledge base then has about 10 000 passages.
 *
 * If Debian's packages `postgresql-doc` and `python3-doc` are installed, the benchmark also compares the search with
 * plain BM25 on these manuals. `--manuals <folder>` sets the folder of the manuals (default `/usr/share/doc`).
 * `--manuals-only` measures only the manuals.
 */
import './prepared.mjs';

// The import of prepared.mjs ensures that the benchmark in `dist` is up to date.
await import('../../dist/test/bench/retrieval/main.js');
