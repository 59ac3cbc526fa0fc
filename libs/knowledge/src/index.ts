/**
 * Knowledge: bases of documents, who may read them, and what is found in them on whose behalf.
 */
export { PRINCIPAL_TYPES, type PrincipalType } from './grants/principal-types.js';
export { AgentDirectory } from './grants/agent-directory.js';
export { KnowledgeAccessService, type KnowledgeGrants } from './grants/knowledge-access.service.js';
export { SourceAuthorizationsService } from './sources/source-authorizations.service.js';
export { INDEX_STATUSES, type IndexProgress } from './bases/base-index.js';
export type { KnowledgeBaseEntity } from './bases/knowledge-base.entity.js';
export { KnowledgeBasesService } from './bases/knowledge-bases.service.js';
export { CHUNKING_STRATEGIES, type KnowledgeSettings, RETRIEVAL_MODES } from './bases/knowledge-settings.js';
export { TEXT_LANGUAGES } from './bases/text-languages.js';
export { DocumentPurgeModule } from './documents/document-purge.module.js';
export { DocumentPurgeService } from './documents/document-purge.service.js';
export { type DocumentWithPassages, KnowledgeDocumentsService } from './documents/knowledge-documents.service.js';
export { IndexWorker } from './indexing/index.worker.js';
export { KnowledgeSearchModule } from './retrieval/knowledge-search.module.js';
export { KnowledgeSearchService, type SearchOutcome } from './retrieval/knowledge-search.service.js';
export type { RunReader } from './retrieval/run-reader.js';
export { KnowledgeModule } from './knowledge.module.js';
export type { KnowledgeSourceEntity } from './sources/store/knowledge-source.entity.js';
export { KnowledgeSourcesService } from './sources/knowledge-sources.service.js';
export { CONNECTORS } from './sources/source-config.js';
export { AUTHORIZATION_STATES, SOURCE_STATUSES } from './sources/store/source-status.js';
export { NAMED_SCHEDULES } from './sources/store/sync-schedule.js';
export { type ClaimOfDocument, UploadsService } from './sources/uploads.service.js';
export type { KnowledgeSyncEntity } from './syncs/knowledge-sync.entity.js';
export { type RequestedSync, SourceSyncsService, type SyncPlace } from './syncs/source-syncs.service.js';
export { SYNC_STATUSES } from './syncs/sync-status.js';
export { syncSource } from './syncs/sync.jobs.js';
export { SyncWorkerModule } from './syncs/sync-worker.module.js';
export { SyncWorker } from './syncs/sync.worker.js';
export { knowledgeSchema } from './migrations/index.js';
export { type KnowledgeConfig, knowledgeConfig } from './bases/knowledge.config.js';
