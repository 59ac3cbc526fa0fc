import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

/** A generation of a base that nobody searches any more. */
export interface StaleGeneration {
  base: string;
  generation: number;
}

/** One of a base, whose row is locked: whoever writes passages and words has that lock. */
const LOCK = `select b.id as base, b.stale_generations[1] as generation from knowledge_bases b
  where b.stale_generations <> '{}' and b.deleted_at is null limit 1 for no key update skip locked`;

/** Found by the word that every passage carries for its base and generation. Their vectors go with them. */
const CLEAR_PASSAGES = `with gone as materialized (
    select c.document_id, c.generation, c.n from knowledge_chunks c
      where c.search @@ (quote_literal($1::text || ':' || $2::integer))::tsquery and c.knowledge_base_id = $1 and c.generation = $2
      limit $3),
  cleared as (
    delete from knowledge_chunks c using gone
      where c.document_id = gone.document_id and c.generation = gone.generation and c.n = gone.n returning 1)
  select count(*)::integer as passages from cleared`;

const CLEAR_WORDS = 'delete from knowledge_words where knowledge_base_id = $1 and generation = $2';

const FORGET = `update knowledge_bases set stale_generations = array_remove(stale_generations, $2::integer) where id = $1`;

/** Passages that were replaced by those of another generation and still take room. */
@Injectable()
export class StaleGenerations {
  /** Undefined where there is none, or another process has it. */
  async lock({ manager }: Transaction): Promise<StaleGeneration | undefined> {
    const [found] = await manager.query<StaleGeneration[]>(LOCK);
    return found;
  }

  /** Up to `limit` passages; once there are no more, its words, and the generation is forgotten. */
  async clear({ base, generation }: StaleGeneration, limit: number, { manager }: Transaction): Promise<void> {
    const [cleared] = await manager.query<{ passages: number }[]>(CLEAR_PASSAGES, [base, generation, limit]);
    if (cleared?.passages === limit) return;
    await manager.query(CLEAR_WORDS, [base, generation]);
    await manager.query(FORGET, [base, generation]);
  }
}
