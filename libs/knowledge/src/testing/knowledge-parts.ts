import { systemClock } from '@app/kernel';
import { DueWorkService, Statements, Transactions } from '@app/platform/database';
import { EgressClient } from '@app/platform/egress';
import { createLogger } from '@app/platform/observability';
import type { DataSource } from 'typeorm';
import { DocumentPurgeRepository } from '../documents/document-purge.repository.js';
import { DocumentPurgeService } from '../documents/document-purge.service.js';
import { DocumentStore } from '../documents/document.store.js';
import { PassageCutter } from '../documents/passage-cutter.js';
import { EmbeddingClient } from '../embedding/embedding.client.js';
import { BaseIndexing } from '../indexing/base-indexing.js';
import { IndexBuildRepository } from '../indexing/index-build.repository.js';
import { IndexBuilderService } from '../indexing/index-builder.service.js';
import { IndexWorkStore } from '../indexing/index-work.store.js';
import { IndexWorker } from '../indexing/index.worker.js';
import { PassageEmbedding } from '../indexing/passage-embedding.js';
import { WaitingPassageRepository } from '../indexing/waiting-passage.repository.js';
import { KnowledgeSearchService } from '../retrieval/knowledge-search.service.js';
import { PassageSearchRepository } from '../retrieval/passage-search.repository.js';
import { VectorSearchRepository } from '../retrieval/vector-search.repository.js';
import { aModelProvider } from '../../../platform/src/models/testing/model-provider.js';

export const TEST_PROVIDER = 'test';

const TIMES = { leaseMillis: 2_000, heartbeatMillis: 500 };

/**
 * Creates the services for search and indexing without Nest. `embeddings` is the URL of the embedding provider, if
 * there is one.
 */
export function knowledgeParts(dataSource: DataSource, embeddings: string | undefined) {
  const statements = new Statements(dataSource);
  const provider = aModelProvider({
    name: TEST_PROVIDER,
    baseUrl: embeddings ?? null,
    apiKey: 'sk-test-0123456789abcdef',
    embeddings: new Map([['small-batches', { dimensions: null, batchSize: 2 }]]),
  });
  const trustedOrigins = embeddings === undefined ? [] : [new URL(embeddings).origin];
  const egress = new EgressClient({ allow: [], trustedOrigins });
  const modelProviders = new Map(embeddings === undefined ? [] : [[provider.name, provider]]);
  const embedder = new EmbeddingClient({ modelProviders }, egress, systemClock);
  const passages = new PassageSearchRepository(statements);
  const transactions = new Transactions(dataSource);
  const vectors = new VectorSearchRepository(statements, transactions);
  const logger = createLogger({ level: 'silent', format: 'json', name: 'test' });
  const indexBuild = new IndexBuildRepository(dataSource, statements, logger);
  const [workStore, waiting] = [new IndexWorkStore(statements), new WaitingPassageRepository(statements)];
  const builder = new IndexBuilderService(
    transactions,
    indexBuild,
    new DocumentStore(),
    new PassageCutter({ shortText: Infinity }),
  );
  const work = new PassageEmbedding(embedder, waiting);
  const indexing = new BaseIndexing(workStore, builder, work, systemClock, TIMES, logger);
  return {
    embedder,
    search: new KnowledgeSearchService(passages, vectors, embedder),
    purge: new DocumentPurgeService(transactions, new DocumentPurgeRepository(), systemClock, logger),
    indexBuild,
    workStore,
    builder,
    indexing,
    indexWorker: new IndexWorker(
      workStore,
      builder,
      embedder,
      waiting,
      systemClock,
      new DueWorkService(statements),
      TIMES,
      logger,
    ),
    close: () => egress.onApplicationShutdown(),
  };
}
