import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { bitsOf, bytesOf } from '../embedding/vectors.js';
import type { ClaimedIndex } from './index-work.store.js';

export interface WaitingPassage {
  documentId: string;
  n: number;
  /** If the document has changed since, the vector is not stored. */
  version: number;
  title: string;
  heading: string;
  body: string;
}

type Base = Pick<ClaimedIndex, 'workspaceId' | 'knowledgeBaseId'>;

/** Excludes passages of deleted documents and passages that the provider rejects. */
const WAITING = `knowledge_vectors v join knowledge_documents d on d.id = v.document_id and d.deleted_at is null
  where v.workspace_id = $1 and v.knowledge_base_id = $2 and v.generation = $3 and v.bits is null and v.refusal is null`;

const TAKE: Statement = {
  name: 'knowledge_index.take_waiting',
  text: `select v.document_id as "documentId", v.n, d.version, d.title, c.heading, c.body
    from (select v.document_id, v.generation, v.n, d.title, d.version from ${WAITING} order by v.document_id, v.n limit $4) v
      join knowledge_chunks c on c.document_id = v.document_id and c.generation = v.generation and c.n = v.n
      join knowledge_documents d on d.id = v.document_id`,
};

const IS_WAITING: Statement = {
  name: 'knowledge_index.is_waiting',
  text: `select exists (select 1 from ${WAITING}) as waits`,
};

const DIMENSIONS: Statement = {
  name: 'knowledge_index.dimensions',
  text: `select length(v.bits) as dimensions from knowledge_vectors v
    where v.knowledge_base_id = $1 and v.generation = $2 and v.bits is not null limit 1`,
};

const PUT: Statement = {
  name: 'knowledge_index.put_vectors',
  text: `update knowledge_vectors v set bits = given.bits::bit varying, vector = decode(given.vector, 'base64')
    from unnest($4::text[], $5::integer[], $6::integer[], $7::text[], $8::text[]) given (document_id, n, version, bits, vector)
      join knowledge_documents d on d.id = given.document_id and d.version = given.version
    where v.document_id = given.document_id and v.n = given.n and v.generation = $3 and v.workspace_id = $1
      and v.knowledge_base_id = $2 and v.bits is null`,
};

const REFUSE: Statement = {
  name: 'knowledge_index.refuse_vector',
  text: `update knowledge_vectors v set refusal = $7 from knowledge_documents d
    where d.id = v.document_id and d.version = $6 and v.document_id = $4 and v.n = $5 and v.generation = $3 and v.workspace_id = $1
      and v.knowledge_base_id = $2 and v.bits is null`,
};

@Injectable()
export class WaitingPassageRepository {
  constructor(private readonly statements: Statements) {}

  readWaiting({ workspaceId, knowledgeBaseId }: Base, generation: number, limit: number): Promise<WaitingPassage[]> {
    return this.statements.query<WaitingPassage>(TAKE, [workspaceId, knowledgeBaseId, generation, limit]);
  }

  async hasWaiting({ workspaceId, knowledgeBaseId }: Base, generation: number): Promise<boolean> {
    const [row] = await this.statements.query<{ waits: boolean }>(IS_WAITING, [
      workspaceId,
      knowledgeBaseId,
      generation,
    ]);
    return row?.waits ?? false;
  }

  async readDimensions({ knowledgeBaseId }: Base, generation: number): Promise<number | null> {
    const [row] = await this.statements.query<{ dimensions: number }>(DIMENSIONS, [knowledgeBaseId, generation]);
    return row?.dimensions ?? null;
  }

  /** If a document has changed since its passages were read, its vectors are not stored. */
  async storeVectors(
    { workspaceId, knowledgeBaseId }: Base,
    generation: number,
    passages: readonly WaitingPassage[],
    vectors: readonly Float32Array[],
  ): Promise<void> {
    await this.statements.query(PUT, [
      workspaceId,
      knowledgeBaseId,
      generation,
      passages.map(({ documentId }) => documentId),
      passages.map(({ n }) => n),
      passages.map(({ version }) => version),
      vectors.map(bitsOf),
      vectors.map((vector) => bytesOf(vector).toString('base64')),
    ]);
  }

  async recordRefusal(
    { workspaceId, knowledgeBaseId }: Base,
    generation: number,
    { documentId, n, version }: WaitingPassage,
    reason: string,
  ): Promise<void> {
    const values = [workspaceId, knowledgeBaseId, generation, documentId, n, version, reason];
    await this.statements.query(REFUSE, values);
  }
}
