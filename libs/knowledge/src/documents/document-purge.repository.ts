import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

export interface StaleGeneration {
  base: string;
  generation: number;
}

/** The word counts of a base are written only under this lock. */
const LOCK_BASE = `select b.id from knowledge_bases b where b.id = (
    select knowledge_base_id from (
      (select d.knowledge_base_id from knowledge_documents d where d.deleted_at < clock_timestamp() - interval '1 minute'
        order by d.deleted_at limit 1)
      union all
      (select d.knowledge_base_id from knowledge_bases gone join knowledge_documents d on d.knowledge_base_id = gone.id
        where gone.deleted_at < clock_timestamp() - interval '1 minute' limit 1)) found limit 1)
  for no key update skip locked`;

const DELETE_PASSAGES = `with gone as materialized (
    select c.document_id, c.generation, c.n from knowledge_documents d join knowledge_bases b on b.id = d.knowledge_base_id
        join knowledge_chunks c on c.document_id = d.id
      where d.knowledge_base_id = $1 and (d.deleted_at is not null or b.deleted_at is not null) limit $2),
  deleted as (
    delete from knowledge_chunks c using gone
      where c.document_id = gone.document_id and c.generation = gone.generation and c.n = gone.n
      returning c.generation, c.search),
  fewer as (select generation, lexeme, count(*)::integer as n from deleted, unnest(search) group by generation, lexeme),
  counted as (
    update knowledge_words w set passages = greatest(0, w.passages - fewer.n) from fewer
      where w.knowledge_base_id = $1 and w.generation = fewer.generation and w.word = fewer.lexeme)
  select count(*)::integer as passages from gone`;

/** The foreign key of `knowledge_texts` also deletes their texts. */
const DELETE_DOCUMENTS = `delete from knowledge_documents where id in (
    select d.id from knowledge_documents d join knowledge_bases b on b.id = d.knowledge_base_id
      where d.knowledge_base_id = $1 and (d.deleted_at is not null or b.deleted_at is not null)
        and not exists (select 1 from knowledge_chunks c where c.document_id = d.id) limit $2)`;

const DELETE_UNUSED_WORDS = 'delete from knowledge_words where knowledge_base_id = $1 and passages = 0';

const LOCK_STALE_GENERATION = `select b.id as base, b.stale_generations[1] as generation from knowledge_bases b
  where b.stale_generations <> '{}' and b.deleted_at is null limit 1 for no key update skip locked`;

/**
 * The statement finds the passages by the special word `<base id>:<generation>`, which each of them contains. The
 * foreign key of `knowledge_vectors` also deletes their vectors.
 */
const DELETE_STALE_PASSAGES = `with gone as materialized (
    select c.document_id, c.generation, c.n from knowledge_chunks c
      where c.search @@ (quote_literal($1::text || ':' || $2::integer))::tsquery and c.knowledge_base_id = $1 and c.generation = $2
      limit $3),
  deleted as (
    delete from knowledge_chunks c using gone
      where c.document_id = gone.document_id and c.generation = gone.generation and c.n = gone.n returning 1)
  select count(*)::integer as passages from deleted`;

const DELETE_STALE_WORDS = 'delete from knowledge_words where knowledge_base_id = $1 and generation = $2';

const REMOVE_STALE_GENERATION = `update knowledge_bases set stale_generations = array_remove(stale_generations, $2::integer)
  where id = $1`;

@Injectable()
export class DocumentPurgeRepository {
  async lockBase({ manager }: Transaction): Promise<string | undefined> {
    const [base] = await manager.query<{ id: string }[]>(LOCK_BASE);
    return base?.id;
  }

  /**
   * If it finds fewer than `limit`, also deletes up to `limit` documents, and the words that no longer occur in any
   * passage.
   */
  async purgeDocuments(base: string, limit: number, { manager }: Transaction): Promise<void> {
    const [deleted] = await manager.query<{ passages: number }[]>(DELETE_PASSAGES, [base, limit]);
    if (deleted?.passages === limit) return;
    await manager.query(DELETE_DOCUMENTS, [base, limit]);
    await manager.query(DELETE_UNUSED_WORDS, [base]);
  }

  /** Returns undefined if there is no stale generation, or if another process holds the lock. */
  async lockStaleGeneration({ manager }: Transaction): Promise<StaleGeneration | undefined> {
    const [found] = await manager.query<StaleGeneration[]>(LOCK_STALE_GENERATION);
    return found;
  }

  /**
   * If it finds fewer than `limit`, also deletes the words of the generation and removes the generation from
   * `stale_generations`.
   */
  async purgeGeneration({ base, generation }: StaleGeneration, limit: number, { manager }: Transaction): Promise<void> {
    const [deleted] = await manager.query<{ passages: number }[]>(DELETE_STALE_PASSAGES, [base, generation, limit]);
    if (deleted?.passages === limit) return;
    await manager.query(DELETE_STALE_WORDS, [base, generation]);
    await manager.query(REMOVE_STALE_GENERATION, [base, generation]);
  }
}
