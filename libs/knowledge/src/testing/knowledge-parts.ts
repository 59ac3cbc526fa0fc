import { systemClock } from '@app/kernel';
import type { ModelProvider } from '@app/platform/config';
import { Statements, Transactions } from '@app/platform/database';
import { EgressClient } from '@app/platform/egress';
import { createLogger } from '@app/platform/observability';
import type { DataSource } from 'typeorm';
import { DeletedDocuments } from '../documents/deleted-documents.repository.js';
import { DocumentClearing } from '../documents/document-clearing.service.js';
import { DocumentWrites } from '../documents/document-writes.repository.js';
import { PassageCutter } from '../documents/passage-cutter.service.js';
import { StaleGenerations } from '../documents/stale-generations.repository.js';
import { Embedder } from '../embedding/embedder.service.js';
import { BaseIndexing } from '../indexing/base-indexing.service.js';
import { IndexBuild } from '../indexing/index-build.repository.js';
import { IndexBuilder } from '../indexing/index-builder.service.js';
import { IndexJournal } from '../indexing/index-journal.repository.js';
import { IndexWorker } from '../indexing/index-worker.service.js';
import { PassageEmbedding } from '../indexing/passage-embedding.service.js';
import { VectorIndex } from '../indexing/vector-index.repository.js';
import { WaitingPassages } from '../indexing/waiting-passages.repository.js';
import { KeywordSearch } from '../retrieval/keyword-search.service.js';
import { KnowledgeSearch } from '../retrieval/knowledge-search.service.js';
import { PassageSearch } from '../retrieval/passage-search.repository.js';
import { SemanticSearch } from '../retrieval/semantic-search.service.js';
import { VectorSearch } from '../retrieval/vector-search.repository.js';

/** The name under which bases of tests ask the embedding server. */
export const TEST_PROVIDER = 'test';

const TIMES = { leaseMillis: 2_000, beatMillis: 500, pollMillis: 50 };

/** What searches and indexes, put together by hand, with an embedding provider or with none. */
export function knowledgeParts(dataSource: DataSource, embeddings: string | undefined) {
  const statements = new Statements(dataSource);
  const provider: ModelProvider = {
    name: TEST_PROVIDER,
    type: 'openai-compatible',
    baseUrl: embeddings ?? null,
    apiKey: 'sk-test-0123456789abcdef',
    prices: new Map(),
    embeddings: new Map([['small-batches', { dimensions: null, batchSize: 2 }]]),
  };
  const trustedOrigins = embeddings === undefined ? [] : [new URL(embeddings).origin];
  const egress = new EgressClient({ allow: [], trustedOrigins });
  const modelProviders = new Map(embeddings === undefined ? [] : [[provider.name, provider]]);
  const embedder = new Embedder({ modelProviders }, egress, systemClock);
  const passages = new PassageSearch(statements);
  const transactions = new Transactions(dataSource);
  const semantic = new SemanticSearch(embedder, new VectorSearch(statements, transactions));
  const logger = createLogger({ level: 'silent', format: 'json', name: 'test' });
  const vectorIndex = new VectorIndex(dataSource, statements, logger);
  const [journal, waiting] = [new IndexJournal(statements), new WaitingPassages(statements)];
  const builder = new IndexBuilder(
    transactions,
    new IndexBuild(),
    new DocumentWrites(),
    PassageCutter.with({ shortText: Infinity }),
    vectorIndex,
  );
  const work = new PassageEmbedding(embedder, waiting);
  const indexing = new BaseIndexing(journal, builder, work, systemClock, TIMES, logger);
  return {
    embedder,
    search: new KnowledgeSearch(passages, new KeywordSearch(passages), semantic),
    clearing: new DocumentClearing(transactions, new DeletedDocuments(), new StaleGenerations(), systemClock, logger),
    vectorIndex,
    journal,
    builder,
    indexing,
    indexWorker: new IndexWorker(journal, indexing, waiting, systemClock, TIMES, logger),
    close: () => egress.onApplicationShutdown(),
  };
}
