import { createHash } from 'node:crypto';
import { type JsonObject, newId } from '@app/kernel';
import { createDataSource, Statements, Transactions } from '@app/platform/database';
import type { DataSource } from 'typeorm';
import { indexSettings, readSettings } from '../bases/knowledge-settings.js';
import { DocumentIndexService } from '../documents/document-index.service.js';
import { SourceDocumentRepository } from '../documents/source-document.repository.js';
import { DocumentStore } from '../documents/document.store.js';
import { PassageCutter } from '../documents/passage-cutter.js';
import type { IncomingDocument } from '@app/connectors';
import type { SourceScope } from '../documents/storable-document.js';
import type { KnowledgeSearchService } from '../retrieval/knowledge-search.service.js';
import { knowledgeParts } from './knowledge-parts.js';

/** A workspace in a test database, with methods that create knowledge bases, sources and documents. */
export class KnowledgeScene {
  readonly statements: Statements;
  readonly transactions: Transactions;
  readonly index: DocumentIndexService;
  readonly search: KnowledgeSearchService;
  readonly parts: ReturnType<typeof knowledgeParts>;

  private constructor(
    readonly dataSource: DataSource,
    readonly workspaceId: string,
    embeddings: string | undefined,
  ) {
    this.statements = new Statements(dataSource);
    this.transactions = new Transactions(dataSource);
    this.index = new DocumentIndexService(
      this.transactions,
      new DocumentStore(),
      new SourceDocumentRepository(this.statements),
      new PassageCutter({ shortText: Infinity }),
    );
    this.parts = knowledgeParts(dataSource, embeddings);
    this.search = this.parts.search;
  }

  /**
   * Creates a workspace and a scene for it. `embeddings` is the URL of the embedding provider `test`. Without a URL,
   * there is no embedding provider.
   */
  static async open(databaseUrl: string, embeddings?: string): Promise<KnowledgeScene> {
    const scene = await KnowledgeScene.within(databaseUrl, newId('workspace'), embeddings);
    await scene.query('insert into workspaces (id, name) values ($1, $2)', [scene.workspaceId, 'Test']);
    return scene;
  }

  static async within(databaseUrl: string, workspaceId: string, embeddings?: string): Promise<KnowledgeScene> {
    const dataSource = createDataSource({ url: databaseUrl, poolSize: 4, applicationName: 'test' });
    return new KnowledgeScene(await dataSource.initialize(), workspaceId, embeddings);
  }

  async close(): Promise<void> {
    await this.parts.close();
    await this.dataSource.destroy();
  }

  query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.dataSource.query<Row[]>(text, values);
  }

  async aBase(settings: JsonObject = {}): Promise<string> {
    const id = newId('knowledgeBase');
    await this.query(
      `insert into knowledge_bases (id, workspace_id, name, region, settings, indexed, created_by)
        values ($1, $2, $1, 'local', $3, $4, 'ann')`,
      [id, this.workspaceId, readSettings(settings), indexSettings(readSettings(settings))],
    );
    return id;
  }

  async aSource(knowledgeBaseId: string): Promise<SourceScope> {
    const sourceId = newId('source');
    await this.query(
      `insert into knowledge_sources (id, workspace_id, knowledge_base_id, connector, config, schedule, created_by)
        values ($1, $2, $3, 'upload', '{}', '"manual"', 'ann')`,
      [sourceId, this.workspaceId, knowledgeBaseId],
    );
    return { workspaceId: this.workspaceId, knowledgeBaseId, sourceId, syncId: newId('sync') };
  }

  /** Creates a source with documents in the knowledge base. `texts` maps the key of each document to its text. */
  async documents(knowledgeBaseId: string, texts: Readonly<Record<string, string>>): Promise<SourceScope> {
    const scope = await this.aSource(knowledgeBaseId);
    const documents = Object.entries(texts).map(([key, text]) => aDocument(key, text));
    await this.index.putMany(scope, documents);
    return scope;
  }

  async grant(knowledgeBaseId: string, type: string, principal: string): Promise<void> {
    await this.query(
      `insert into knowledge_grants (workspace_id, knowledge_base_id, type, principal, granted_by) values ($1, $2, $3, $4, 'ann')`,
      [this.workspaceId, knowledgeBaseId, type, principal],
    );
  }
}

export function aDocument(key: string, text: string, overrides: Partial<IncomingDocument> = {}): IncomingDocument {
  const hash = createHash('sha256').update(text).digest('hex');
  return { key, title: key, url: null, contentType: 'text/markdown', text, hash, validator: null, ...overrides };
}
