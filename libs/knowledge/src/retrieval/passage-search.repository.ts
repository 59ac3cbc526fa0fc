import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { IndexSettings, KnowledgeSettings } from '../bases/knowledge-settings.js';
import { ALLOWED, principals } from './allowed-base.js';
import type { FoundPassage } from './found-passage.js';
import type { Question } from './question.js';
import type { RunReader } from './reader.js';

/** A base as a search needs it, and what it knows of the question. */
export interface SearchedBase {
  id: string;
  name: string;
  generation: number;
  settings: KnowledgeSettings;
  /** What the passages were made with. */
  indexed: IndexSettings;
  passages: number;
  /** Words of a passage on average. */
  average_length: number;
  /** Whether the reader is granted it; true where there is none to ask for. */
  allowed: boolean;
  /** Whether misspelt words can be looked up. */
  corrects: boolean;
  /** Stems of the n-th word, from 1. A stop word has none. */
  stems: { n: number; stem: string; passages: number }[];
  /** A tsquery for each phrase that says anything. */
  phrases: string[];
}

interface FoundRow extends Omit<FoundPassage, 'document'> {
  document_id: string;
  title: string;
  url: string | null;
  version: number;
}

const PREPARE: Statement = {
  name: 'knowledge_prepare_search',
  text: `with base as (
      select * from knowledge_bases b where workspace_id = $1 and (id = $2 or name = $2) and deleted_at is null
        order by id = $2 desc limit 1)
    select b.id, b.name, b.generation, b.settings, b.indexed, b.chunk_count as passages,
      (b.word_count::float8 / greatest(1, b.chunk_count)) as average_length, ${ALLOWED} as allowed,
      to_regclass('knowledge_words_similar_ix') is not null as corrects,
      coalesce((select json_agg(json_build_object('n', asked.n, 'stem', asked.stem, 'passages', coalesce(w.passages, 0)))
        from (select distinct word.n, stem.lexeme as stem
          from unnest($6::text[]) with ordinality word (text, n), unnest(b.languages) language (name),
            unnest(to_tsvector(language.name::regconfig, word.text)) stem) asked
        left join knowledge_words w on w.knowledge_base_id = b.id and w.generation = b.generation and w.word = asked.stem), '[]')
        as stems,
      coalesce((select json_agg(phrase.query) from (
        select string_agg(distinct phraseto_tsquery(language.name::regconfig, quoted.text)::text, ' | ')
            filter (where numnode(phraseto_tsquery(language.name::regconfig, quoted.text)) > 0) as query
          from unnest($7::text[]) quoted (text), unnest(b.languages) language (name) group by quoted.text) phrase
        where phrase.query is not null), '[]') as phrases
    from base b`,
};

const SIMILAR: Statement = {
  name: 'knowledge_similar_words',
  text: `select asked.n, found.word, found.passages
    from unnest($3::integer[], $4::text[]) asked (n, word), lateral (
      select w.word, w.passages from knowledge_words w
        where w.knowledge_base_id = $1 and w.generation = $2 and w.word % asked.word and w.passages > 0
        order by similarity(w.word, asked.word) desc, w.passages desc limit 20) found
    union
    select asked.n, w.word, w.passages
    from unnest($5::integer[], $6::text[]) asked (n, word)
      join knowledge_words w on w.knowledge_base_id = $1 and w.generation = $2 and w.word = asked.word and w.passages > 0`,
};

/**
 * The best passages of a base by BM25, words of title and headings counting HEADING_WEIGHT times. How often a word stands in a
 * passage is read from ts_rank: of one word it is the sum of 1/i² for i up to that number, divided by ζ(2), whose tail is about
 * 1 / (n + 1/2). Access and deletions are conditions of this very statement. Whether a passage is there is asked passage by passage
 * (`offset 0`), as long as candidates are wanted: a planner that may begin with the sources goes through all passages for each of them.
 * `$6` candidates (tsquery), `$7` generation, `$8` how many candidates, `$9` terms (tsquery), `$10` stems of each, `$11` weight of each,
 * `$12` average length, `$13` passages wanted.
 */
const RANK: Statement = {
  name: 'knowledge_rank_passages',
  text: `with base as materialized (
      select b.id from knowledge_bases b where b.workspace_id = $1 and b.id = $2 and b.deleted_at is null and ${ALLOWED}),
    term as materialized (
      select query::tsquery as query, stems * 1.64493407 as zeta, weight
        from unnest($9::text[], $10::integer[], $11::float8[]) given (query, stems, weight)),
    candidate as materialized (
      select found.document_id, found.n, 0.3 + 0.9 * found.words / greatest(1, $12::float8) as length,
          found.search || ''::tsvector as search
        from base, (select * from knowledge_chunks c where c.search @@ $6::tsquery offset 0) found,
          lateral (select from knowledge_documents d join knowledge_sources s on s.id = d.source_id
            where d.id = found.document_id and d.deleted_at is null and s.deleted_at is null offset 0) there
        where found.knowledge_base_id = base.id and found.workspace_id = $1 and found.generation = $7
        limit $8),
    counted as (
      select document_id, n, length, weight, ts_rank('{1,1,1,1}', search, query) * zeta as rank,
          ts_rank('{0,0,0,1}', search, query) * zeta as heading_rank
        from candidate join term on search @@ query),
    weighed as (
      select document_id, n, length, weight, 1 / (1.64493407 - least(rank, 1.6445)) - 0.5
          + case when heading_rank > 0 then HEADING_WEIGHT * (1 / (1.64493407 - least(heading_rank, 1.6445)) - 0.5) else 0 end
            as frequency
        from counted),
    ranked as materialized (
      select document_id, n, sum(weight * frequency / (frequency + length)) / (select sum(w) from unnest($11::float8[]) w) as score
        from weighed group by document_id, n order by score desc, document_id, n limit $13)
    select d.id as document_id, d.title, d.url, d.version, c.n as chunk, c.heading, c.body as text, score,
        c.start_offset as start, c.end_offset as "end"
      from ranked join knowledge_chunks c on c.document_id = ranked.document_id and c.generation = $7 and c.n = ranked.n
        join knowledge_documents d on d.id = c.document_id
      order by score desc, document_id, chunk`.replaceAll('HEADING_WEIGHT', '1.0'),
};

export interface Ranking {
  base: Pick<SearchedBase, 'id' | 'generation' | 'average_length'>;
  candidates: string;
  mostCandidates: number;
  terms: readonly { query: string; stems: number; weight: number }[];
  limit: number;
}

/** Searches in Postgres. Every one asks for access and deletions itself. */
@Injectable()
export class PassageSearch {
  constructor(private readonly statements: Statements) {}

  /** `base`: its id or its name. Null where there is none. */
  async prepare(
    workspaceId: string,
    base: string,
    reader: RunReader | null,
    { words, phrases }: Question,
  ): Promise<SearchedBase | null> {
    const values = [workspaceId, base, ...principals(reader), words, phrases];
    const [found] = await this.statements.query<SearchedBase>(PREPARE, values);
    return found ?? null;
  }

  /** Words of the base that are like the n-th of the asked ones, or that are one of its nearby spellings. */
  similar(
    { id, generation }: Pick<SearchedBase, 'id' | 'generation'>,
    asked: readonly { n: number; word: string }[],
    nearby: readonly { n: number; word: string }[],
  ): Promise<{ n: number; word: string; passages: number }[]> {
    const columns = [asked, nearby].flatMap((list) => [list.map(({ n }) => n), list.map(({ word }) => word)]);
    return this.statements.query(SIMILAR, [id, generation, ...columns]);
  }

  /** Best first. */
  async rank(
    workspaceId: string,
    reader: RunReader | null,
    { base, candidates, mostCandidates, terms, limit }: Ranking,
  ): Promise<FoundPassage[]> {
    const rows = await this.statements.query<FoundRow>(RANK, [
      workspaceId,
      base.id,
      ...principals(reader),
      candidates,
      base.generation,
      mostCandidates,
      terms.map(({ query }) => query),
      terms.map(({ stems }) => stems),
      terms.map(({ weight }) => weight),
      base.average_length,
      limit,
    ]);
    return rows.map(({ document_id: id, title, url, version, ...passage }) => ({
      document: { id, title, url, version },
      ...passage,
    }));
  }
}
