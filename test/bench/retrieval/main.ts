import { parseArgs } from 'node:util';
import { BenchDatabase } from '../bench-database.js';
import type { RunReader } from '../../../libs/knowledge/src/retrieval/run-reader.js';
import { describeMachine, machineText } from '../machine.js';
import { type Corpus, makeCorpus } from './corpus.js';
import { documentationLines, installedManuals } from './documentation.js';
import { GRANTED, Library } from './library.js';
import { PlainBm25 } from './plain-bm25.js';
import { LearntWeights } from './learnt-weights.js';
import { type Relevance, relevanceOf } from './relevance.js';
import { writtenFormLines } from './written-forms.js';
import { EmbeddingServer } from '../../support/embedding-server.js';
import { TEST_PROVIDER } from '../../../libs/knowledge/src/testing/knowledge-parts.js';

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '3400' },
    queries: { type: 'string', default: '200' },
    times: { type: 'string', default: '20' },
    chunks: { type: 'string' },
    minutes: { type: 'string', default: '30' },
    manuals: { type: 'string' },
    'manuals-only': { type: 'boolean', default: false },
  },
});
/** Average number of passages per document of the corpus. */
const PASSAGES_OF_A_DOCUMENT = 3;
const SMALL = 10_000;
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const started = performance.now();

const server = await BenchDatabase.start(() => undefined, false);
const learnt = new LearntWeights();
const embeddings = await EmbeddingServer.start((word) => learnt.of(word));
try {
  const url = await server.create('retrieval');
  const pool = server.pool(url);
  say(machineText(await describeMachine(pool, undefined)));
  await pool.end();
  const library = await Library.open(url, embeddings.url);
  // With `--chunks`, the corpus has about 10 000 passages. The benchmark copies them until the large knowledge base has
  // the requested number of passages.
  const chunks = values.chunks === undefined ? undefined : Number(values.chunks);
  const size = chunks === undefined ? Number(values.documents) : Math.ceil(SMALL / PASSAGES_OF_A_DOCUMENT);
  const times = chunks === undefined ? Number(values.times) : Math.ceil(chunks / SMALL);
  for (const line of await writtenFormLines(library)) say(line);
  for (const manual of await installedManuals(values.manuals))
    for (const line of await documentationLines(library, manual)) say(line);
  if (!values['manuals-only']) await measure(library, size, Number(values.queries), times);
  await library.close();
} finally {
  await embeddings.close();
  await server.stop();
}

async function measure(library: Library, size: number, count: number, times: number): Promise<void> {
  const corpus = makeCorpus(size, count);
  const bytes = corpus.documents.reduce((sum, { text }) => sum + text.length, 0);
  learnt.read(corpus.documents);
  const small = await library.aBase();
  // The first documents are not measured. They warm up compiled code and prepared statements.
  await library.put(small, corpus.documents.slice(0, 400));
  const rest = corpus.documents.slice(400);
  const began = performance.now();
  await library.put(small, rest);
  const seconds = (performance.now() - began) / 1_000;
  say(`\nindexing: ${Math.round(rest.length / seconds)} documents/s of ${Math.round(bytes / size)} bytes, one writer`);
  say(`resident memory afterwards: ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`);
  await library.tidy();

  const reference = new PlainBm25();
  const passages = await library.query<{ key: string; text: string }>(
    `select d.key, d.title || ' ' || c.heading || ' ' || c.body as text from knowledge_chunks c
      join knowledge_documents d on d.id = c.document_id where c.knowledge_base_id = $1 order by c.document_id, c.n`,
    [small.knowledgeBaseId],
  );
  for (const { key, text } of passages) reference.add(key, text);
  const keyword = async (query: string): Promise<string[]> => {
    const found = await library.find(small.knowledgeBaseId, query, 100);
    return [...new Set(found.map(({ document }) => document.url?.split('/').at(-1) ?? ''))];
  };
  const plain = await relevanceOf(corpus.queries, (query) => reference.search(query, 10));
  const [semantic, hybrid] = await byMeaning(library, corpus);
  const ours = await relevanceOf(corpus.queries, keyword);
  say(`\nrelevance, ${passages.length} passages, ${count} queries:   nDCG@10   recall@10`);
  const row = (name: string, { ndcg, recall }: Relevance): void =>
    say(`  ${name.padEnd(42)}${ndcg.toFixed(4)}    ${recall.toFixed(4)}`);
  row('plain BM25', plain);
  row('keyword', ours);
  row('semantic, with the embedder of the tests', semantic);
  row('hybrid', hybrid);
  say(`  keyword / plain BM25                      ${(ours.ndcg / plain.ndcg).toFixed(4)}`);

  const timed = async (base: string, query: string, reader: RunReader | null): Promise<number> => {
    const from = performance.now();
    await library.find(base, query, 10, reader);
    return performance.now() - from;
  };
  const ask = async (base: string): Promise<number[]> => {
    const millis: number[] = [];
    for (const { text } of corpus.queries) millis.push(await timed(base, text, null));
    return millis.sort((a, b) => a - b);
  };
  const [free, filtered]: [number[], number[]] = [[], []];
  // The two kinds of search alternate, so that other load on the machine affects both.
  for (let round = 0; round < 4; round += 1) {
    for (const { text } of corpus.queries) {
      free.push(await timed(small.knowledgeBaseId, text, null));
      filtered.push(await timed(small.knowledgeBaseId, text, GRANTED));
    }
  }
  say(`\nkeyword search, ${passages.length} passages: ${latencies(free)}`);
  say(`  as a run, granted by a group:  ${latencies(filtered)}`);
  say(`  access filter, median ratio:   ${(median(filtered) / median(free)).toFixed(3)}`);

  const copying = performance.now();
  const { scope: large, times: copies } = await library.multiplied(small, times, Number(values.minutes));
  const total = passages.length * copies;
  say(`\ncopied to ${total} passages in ${Math.round((performance.now() - copying) / 1_000)} s`);
  await ask(large.knowledgeBaseId);
  const big = await ask(large.knowledgeBaseId);
  const again = await ask(small.knowledgeBaseId);
  say(`keyword search, ${total} passages: ${latencies(big)}`);
  say(`  p95, ${total} / ${passages.length}: ${(percentile(big, 95) / percentile(again, 95)).toFixed(2)}`);
  say(`\n${Math.round((performance.now() - started) / 1_000)} s in all`);
}

/**
 * Indexes the documents with embeddings. Returns the relevance of the results in the search modes `semantic` and
 * `hybrid`, in this order.
 */
async function byMeaning(library: Library, { documents, queries }: Corpus): Promise<[Relevance, Relevance]> {
  const base = await library.aBase({ embedding: { provider: TEST_PROVIDER, model: 'features' } });
  await library.put(base, documents);
  const began = performance.now();
  await library.settle(base);
  say(
    `\nvectors: ${documents.length} documents in ${((performance.now() - began) / 1_000).toFixed(1)} s, 256 dimensions`,
  );
  const results: Relevance[] = [];
  const millis: number[] = [];
  for (const mode of ['semantic', 'hybrid']) {
    await library.searchedBy(base, mode);
    const search = async (query: string): Promise<string[]> => {
      const from = performance.now();
      const found = await library.find(base.knowledgeBaseId, query, 100);
      if (mode === 'semantic') millis.push(performance.now() - from);
      return [...new Set(found.map(({ document }) => document.url?.split('/').at(-1) ?? ''))];
    };
    results.push(await relevanceOf(queries, search));
  }
  say(`semantic search, the provider's answer included: ${latencies(millis)}`);
  return results as [Relevance, Relevance];
}

function latencies(millis: number[]): string {
  const sorted = [...millis].sort((a, b) => a - b);
  return `p50 ${percentile(sorted, 50).toFixed(1)} ms, p95 ${percentile(sorted, 95).toFixed(1)} ms`;
}

function median(millis: number[]): number {
  return percentile(
    [...millis].sort((a, b) => a - b),
    50,
  );
}

function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}
