import { type JsonObject, newId } from '@app/kernel';
import { createDataSource, Statements, Transactions } from '@app/platform/database';
import type { DataSource } from 'typeorm';
import { indexSettings, readSettings } from '../../../libs/knowledge/src/bases/knowledge-settings.js';
import { DocumentIndexService } from '../../../libs/knowledge/src/documents/document-index.service.js';
import { SourceDocumentRepository } from '../../../libs/knowledge/src/documents/source-document.repository.js';
import { DocumentStore } from '../../../libs/knowledge/src/documents/document.store.js';
import type { IncomingDocument } from '@app/connectors';
import type { SourceScope } from '../../../libs/knowledge/src/documents/storable-document.js';
import { PassageCutter } from '../../../libs/knowledge/src/documents/passage-cutter.js';
import type { FoundPassage } from '../../../libs/knowledge/src/retrieval/found-passages.js';
import { knowledgeParts } from '../../../libs/knowledge/src/testing/knowledge-parts.js';
import type { RunReader } from '../../../libs/knowledge/src/retrieval/run-reader.js';

const BATCH = 100;
const AGENT = 'agt_01kahzvk3te9d8q6f0f1v3m2sx';
const MEMBER = 'mem_01kahzvk3te9d8q6f0f1v3m2sx';
/** A run whose user may read the knowledge base as a member of a group. This is the most expensive access check. */
export const GRANTED: RunReader = { agentId: AGENT, email: 'ann@example.com', channel: null };

export class Library {
  private readonly workspaceId = newId('workspace');
  private readonly index: DocumentIndexService;
  private readonly parts: ReturnType<typeof knowledgeParts>;

  private constructor(
    private readonly source: DataSource,
    embeddings: string,
  ) {
    const statements = new Statements(source);
    this.index = new DocumentIndexService(
      new Transactions(source),
      new DocumentStore(),
      new SourceDocumentRepository(statements),
      new PassageCutter(),
    );
    this.parts = knowledgeParts(source, embeddings);
  }

  /** `embeddings` is the URL of the embedding provider. */
  static async open(url: string, embeddings: string): Promise<Library> {
    const source = await createDataSource({ url, poolSize: 4, applicationName: 'bench' }).initialize();
    const library = new Library(source, embeddings);
    await library.query('insert into workspaces (id, name) values ($1, $1)', [library.workspaceId]);
    await library.query(
      `insert into members (id, workspace_id, email, role) values ('${MEMBER}', $1, 'ann@example.com', 'viewer')`,
      [library.workspaceId],
    );
    await library.query(`insert into groups (workspace_id, name) values ($1, 'readers')`, [library.workspaceId]);
    await library.query(
      `insert into group_members (workspace_id, group_name, member_id) values ($1, 'readers', '${MEMBER}')`,
      [library.workspaceId],
    );
    return library;
  }

  async close(): Promise<void> {
    await this.parts.close();
    await this.source.destroy();
  }

  query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.source.query<Row[]>(text, values);
  }

  async aBase(settings: JsonObject = {}): Promise<SourceScope> {
    const [knowledgeBaseId, sourceId] = [newId('knowledgeBase'), newId('source')];
    const { workspaceId } = this;
    await this.query(
      `insert into knowledge_bases (id, workspace_id, name, region, settings, indexed, created_by)
        values ($1, $2, $1, 'local', $3, $4, 'bench')`,
      [knowledgeBaseId, workspaceId, readSettings(settings), indexSettings(readSettings(settings))],
    );
    await this.query(
      `insert into knowledge_sources (id, workspace_id, knowledge_base_id, connector, config, schedule, created_by)
        values ($1, $2, $3, 'upload', '{}', '{}', 'bench')`,
      [sourceId, workspaceId, knowledgeBaseId],
    );
    await this.query(
      `insert into knowledge_grants (workspace_id, knowledge_base_id, type, principal, granted_by)
        values ($1, $2, 'agent', $3, 'bench'), ($1, $2, 'group', 'readers', 'bench')`,
      [workspaceId, knowledgeBaseId, AGENT],
    );
    return { workspaceId, knowledgeBaseId, sourceId, syncId: newId('sync') };
  }

  async put(scope: SourceScope, documents: readonly IncomingDocument[]): Promise<void> {
    for (let n = 0; n < documents.length; n += BATCH) await this.index.putMany(scope, documents.slice(n, n + BATCH));
  }

  async find(base: string, query: string, topK: number, reader: RunReader | null = null): Promise<FoundPassage[]> {
    const outcome = await this.parts.search.search(this.workspaceId, { base, query, topK, reader });
    if (outcome.status !== 'found') throw new Error(`The search was answered with ${outcome.status}.`);
    return outcome.passages;
  }

  async settle(scope: SourceScope): Promise<void> {
    const failure = await this.parts.indexWorker.finishBase(scope, new AbortController().signal);
    if (failure) throw new Error(failure.message);
  }

  async searchedBy({ knowledgeBaseId }: SourceScope, mode: string): Promise<void> {
    const text = `update knowledge_bases set settings = jsonb_set(settings, '{retrieval,mode}', to_jsonb($2::text)) where id = $1`;
    await this.query(text, [knowledgeBaseId, mode]);
  }

  /** Vacuums and analyses the tables, as autovacuum would do later. */
  async tidy(): Promise<void> {
    const session = this.source.createQueryRunner();
    await session.query('set statement_timeout = 0');
    await session.query('vacuum analyze knowledge_chunks');
    await session.query('vacuum analyze knowledge_documents');
    await session.release();
  }

  /**
   * Copies the passages of a knowledge base into a new one, `times` times. Stops earlier if this takes longer than
   * `minutes` minutes. Multiplies the frequencies of words by the number of copies. Does not check foreign keys, and
   * builds the search index after all rows are inserted.
   */
  async multiplied(from: SourceScope, times: number, minutes: number): Promise<{ scope: SourceScope; times: number }> {
    const until = performance.now() + minutes * 60_000;
    const to = await this.aBase();
    // All statements use one session, because the statement timeout is disabled only in this session.
    const session = this.source.createQueryRunner();
    await session.query('set statement_timeout = 0');
    await session.query(`set maintenance_work_mem = '256MB'`);
    await session.query('set session_replication_role = replica');
    await session.query('drop index knowledge_chunks_search_ix');
    let copies = 0;
    while (copies < times && performance.now() < until) {
      await session.query(COPY_DOCUMENTS, parameters(from, to, copies));
      await session.query(COPY_PASSAGES, parameters(from, to, copies));
      copies += 1;
    }
    await session.query('create index knowledge_chunks_search_ix on knowledge_chunks using gin (search)');
    await session.query(
      `insert into knowledge_words select $2, generation, word, passages * $3 from knowledge_words where knowledge_base_id = $1`,
      [from.knowledgeBaseId, to.knowledgeBaseId, copies],
    );
    await session.query(
      `update knowledge_bases b set document_count = o.document_count * $3, chunk_count = o.chunk_count * $3,
          word_count = o.word_count * $3, languages = o.languages
        from knowledge_bases o where o.id = $1 and b.id = $2`,
      [from.knowledgeBaseId, to.knowledgeBaseId, copies],
    );
    await session.query('set session_replication_role = default');
    await session.release();
    await this.tidy();
    return { scope: to, times: copies };
  }
}

const COPY_DOCUMENTS = `insert into knowledge_documents (id, workspace_id, knowledge_base_id, source_id, key, title, url,
    content_type, language, hash, bytes, chunk_count, word_count)
  select id || '-' || $4::text || '-' || left(md5($2), 6), workspace_id, $2, $3, key || '-' || $4::text, title, url, content_type,
    language, hash, bytes, chunk_count, word_count
  from knowledge_documents where knowledge_base_id = $1`;

const COPY_PASSAGES = `insert into knowledge_chunks (document_id, generation, n, workspace_id, knowledge_base_id, heading, body,
    start_offset, end_offset, tokens, words, language, search)
  select document_id || '-' || $4::text || '-' || left(md5($2), 6), generation, n, workspace_id, $2, heading, body, start_offset,
    end_offset, tokens, words, language,
    ts_delete(search, $1 || ':1') || array_to_tsvector(array[$2 || ':1', 'copy' || $3 || $4::text])
  from knowledge_chunks where knowledge_base_id = $1`;

function parameters(from: SourceScope, to: SourceScope, copy: number): unknown[] {
  return [from.knowledgeBaseId, to.knowledgeBaseId, to.sourceId, copy];
}
