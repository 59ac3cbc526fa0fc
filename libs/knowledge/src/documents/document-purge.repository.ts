import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

/** A base that holds what is deleted, and its lock: whoever counts words has that. */
const LOCK = `select b.id from knowledge_bases b where b.id = (
    select knowledge_base_id from (
      (select d.knowledge_base_id from knowledge_documents d where d.deleted_at < clock_timestamp() - interval '1 minute'
        order by d.deleted_at limit 1)
      union all
      (select d.knowledge_base_id from knowledge_bases gone join knowledge_documents d on d.knowledge_base_id = gone.id
        where gone.deleted_at < clock_timestamp() - interval '1 minute' limit 1)) found limit 1)
  for no key update skip locked`;

const CLEAR_PASSAGES = `with gone as materialized (
    select c.document_id, c.generation, c.n from knowledge_documents d join knowledge_bases b on b.id = d.knowledge_base_id
        join knowledge_chunks c on c.document_id = d.id
      where d.knowledge_base_id = $1 and (d.deleted_at is not null or b.deleted_at is not null) limit $2),
  cleared as (
    delete from knowledge_chunks c using gone
      where c.document_id = gone.document_id and c.generation = gone.generation and c.n = gone.n
      returning c.generation, c.search),
  fewer as (select generation, lexeme, count(*)::integer as n from cleared, unnest(search) group by generation, lexeme),
  counted as (
    update knowledge_words w set passages = greatest(0, w.passages - fewer.n) from fewer
      where w.knowledge_base_id = $1 and w.generation = fewer.generation and w.word = fewer.lexeme)
  select count(*)::integer as passages from gone`;

/** Their texts go with them. */
const CLEAR_DOCUMENTS = `delete from knowledge_documents where id in (
    select d.id from knowledge_documents d join knowledge_bases b on b.id = d.knowledge_base_id
      where d.knowledge_base_id = $1 and (d.deleted_at is not null or b.deleted_at is not null)
        and not exists (select 1 from knowledge_chunks c where c.document_id = d.id) limit $2)`;

const CLEAR_WORDS = `delete from knowledge_words where knowledge_base_id = $1 and passages = 0`;

/** What nobody finds any more and still takes room. */
@Injectable()
export class DeletedDocuments {
  /** The id of a base that has some, locked until the transaction ends; undefined where there is none, or another process has it. */
  async lockBase({ manager }: Transaction): Promise<string | undefined> {
    const [base] = await manager.query<{ id: string }[]>(LOCK);
    return base?.id;
  }

  /** Up to `limit` passages; once there are no more, up to as many documents, and words that stand nowhere now. */
  async clear(base: string, limit: number, { manager }: Transaction): Promise<void> {
    const [cleared] = await manager.query<{ passages: number }[]>(CLEAR_PASSAGES, [base, limit]);
    if (cleared?.passages === limit) return;
    await manager.query(CLEAR_DOCUMENTS, [base, limit]);
    await manager.query(CLEAR_WORDS, [base]);
  }
}
