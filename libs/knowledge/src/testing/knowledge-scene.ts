import { createHash } from 'node:crypto';
import { type JsonObject, newId } from '@app/kernel';
import { createDataSource, Statements, Transactions } from '@app/platform/database';
import type { DataSource } from 'typeorm';
import { readSettings } from '../bases/knowledge-settings.js';
import { DocumentIndex } from '../documents/document-index.service.js';
import { DocumentMarks } from '../documents/document-marks.repository.js';
import { DocumentWrites } from '../documents/document-writes.repository.js';
import type { IncomingDocument, SourceScope } from '../documents/incoming-document.js';
import { KnowledgeSearch } from '../retrieval/knowledge-search.service.js';
import { PassageSearch } from '../retrieval/passage-search.repository.js';

/** A workspace of its own in a test's database, with bases, sources and documents to order. */
export class KnowledgeScene {
  readonly workspaceId = newId('workspace');
  readonly statements: Statements;
  readonly transactions: Transactions;
  readonly index: DocumentIndex;
  readonly search: KnowledgeSearch;

  private constructor(readonly dataSource: DataSource) {
    this.statements = new Statements(dataSource);
    this.transactions = new Transactions(dataSource);
    this.index = new DocumentIndex(this.transactions, new DocumentWrites(), new DocumentMarks(this.statements));
    this.search = new KnowledgeSearch(new PassageSearch(this.statements));
  }

  static async open(databaseUrl: string): Promise<KnowledgeScene> {
    const dataSource = createDataSource({ url: databaseUrl, poolSize: 4, applicationName: 'test' });
    const scene = new KnowledgeScene(await dataSource.initialize());
    await scene.query('insert into workspaces (id, name) values ($1, $2)', [scene.workspaceId, 'Test']);
    return scene;
  }

  close(): Promise<void> {
    return this.dataSource.destroy();
  }

  query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.dataSource.query<Row[]>(text, values);
  }

  async aBase(settings: JsonObject = {}): Promise<string> {
    const id = newId('knowledgeBase');
    await this.query(
      `insert into knowledge_bases (id, workspace_id, name, region, settings, created_by) values ($1, $2, $1, 'local', $3, 'ann')`,
      [id, this.workspaceId, readSettings(settings)],
    );
    return id;
  }

  async aSource(knowledgeBaseId: string): Promise<SourceScope> {
    const sourceId = newId('source');
    await this.query(
      `insert into knowledge_sources (id, workspace_id, knowledge_base_id, connector, config, schedule, created_by)
        values ($1, $2, $3, 'upload', '{}', '{}', 'ann')`,
      [sourceId, this.workspaceId, knowledgeBaseId],
    );
    return { workspaceId: this.workspaceId, knowledgeBaseId, sourceId, syncId: newId('sync') };
  }

  async grant(knowledgeBaseId: string, type: string, principal: string): Promise<void> {
    await this.query(
      `insert into knowledge_grants (workspace_id, knowledge_base_id, type, principal, granted_by) values ($1, $2, $3, $4, 'ann')`,
      [this.workspaceId, knowledgeBaseId, type, principal],
    );
  }
}

/** A document whose title is its key unless it is given one. */
export function aDocument(key: string, text: string, overrides: Partial<IncomingDocument> = {}): IncomingDocument {
  const hash = createHash('sha256').update(text).digest('hex');
  return { key, title: key, url: null, contentType: 'text/markdown', text, hash, validator: null, ...overrides };
}
