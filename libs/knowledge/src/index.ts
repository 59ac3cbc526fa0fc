/**
 * Knowledge: bases of documents, who may read them, and what is found in them on whose behalf.
 */
export type { AccessGrant } from './access/access-grant.entity.js';
export { PRINCIPAL_TYPES, type PrincipalType } from './access/principal-types.js';
export { KnowledgeAccess, type KnowledgeGrants } from './access/knowledge-access.service.js';
export type { WantedAccess } from './access/wanted-access.js';
export type { KnowledgeBase } from './bases/knowledge-base.entity.js';
export { type ChangeKnowledgeBase, type CreateKnowledgeBase, KnowledgeBases } from './bases/knowledge-bases.service.js';
export { CHUNKING_STRATEGIES, type KnowledgeSettings, RETRIEVAL_MODES } from './bases/knowledge-settings.js';
export { TEXT_LANGUAGES } from './bases/text-languages.js';
export { DocumentClearingModule } from './documents/document-clearing.module.js';
export { DocumentClearing } from './documents/document-clearing.service.js';
export { DocumentIndex, type IndexedBatch } from './documents/document-index.service.js';
export type { DocumentValidator, IncomingDocument, SourceScope } from './documents/incoming-document.js';
export { type DocumentWithPassages, KnowledgeDocuments } from './documents/knowledge-documents.service.js';
export { IndexWorker } from './indexing/index-worker.service.js';
export { IndexingModule } from './indexing/indexing.module.js';
export { KnowledgeSearchModule } from './retrieval/knowledge-search.module.js';
export { KnowledgeSearch, type SearchOutcome, type SearchRequest } from './retrieval/knowledge-search.service.js';
export type { FoundPassage } from './retrieval/found-passage.js';
export type { RunReader } from './retrieval/reader.js';
export { KnowledgeModule } from './knowledge.module.js';
export { CONNECTORS, type ConnectorName } from './connectors/connector-config.js';
export { OAUTH_CONNECTORS } from './connectors/oauth-connectors.js';
export { READABLE_TYPES } from './extraction/media-kind.js';
export type { KnowledgeSource } from './sources/knowledge-source.entity.js';
export { type ChangeSource, KnowledgeSources } from './sources/knowledge-sources.service.js';
export { withoutSecrets } from './sources/secret-references.js';
export type { WantedSource } from './sources/source-settings.service.js';
export { AUTHORIZATION_STATES, SOURCE_STATUSES } from './sources/source-status.js';
export { NAMED_SCHEDULES } from './sources/sync-schedule.js';
export { LARGEST_UPLOAD, Uploads } from './sources/uploads.service.js';
export type { KnowledgeSync } from './sync/knowledge-sync.entity.js';
export { SourceSyncs, type SyncPlace } from './sync/source-syncs.service.js';
export { SYNC_STATUSES } from './sync/sync-status.js';
export { syncSource } from './sync/sync.jobs.js';
export { SyncModule } from './sync/sync.module.js';
export { SyncWorker } from './sync/sync-worker.service.js';
