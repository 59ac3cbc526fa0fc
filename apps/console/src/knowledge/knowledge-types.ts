import type { aas } from '../data/api.js';

type Answered<Method extends (...all: never[]) => PromiseLike<unknown>> = Awaited<ReturnType<Method>>;

export type KnowledgeBase = Answered<typeof aas.knowledgeBases.get>;
export type Source = Answered<typeof aas.sources.get>;
export type Sync = Answered<typeof aas.syncs.get>;
export type StoredDocument = Answered<typeof aas.documents.list>['data'][number];
export type DocumentWithChunks = Answered<typeof aas.documents.get>;
export type Passage = Answered<typeof aas.knowledgeBases.search>['data'][number];
export type Access = Answered<typeof aas.knowledgeBases.getAccess>;
export type Connector = Answered<typeof aas.connectors.list>['data'][number];

export interface BaseTabProps {
  /** Id in the page URL: the id of the knowledge base, or `name:<name>`. */
  id: string;
  base: KnowledgeBase;
}

export interface SourceProps {
  base: string;
  source: Source;
}
