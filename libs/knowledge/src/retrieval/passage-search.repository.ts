import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { IndexSettings, KnowledgeSettings } from '../bases/knowledge-settings.js';
import { PASSAGES } from '../documents/passages.js';
import type { FoundPassage } from './found-passages.js';
import { ALLOWED, principalParameters, type RunReader } from './run-reader.js';
import type { Question, RankedTerm } from './search-plan.js';

export interface SearchedBase {
  id: string;
  name: string;
  generation: number;
  settings: KnowledgeSettings;
  indexed: IndexSettings;
  passages: number;
  average_length: number;
  average_document_length: number;
  /** Always true if no reader is given. */
  allowed: boolean;
  /** Whether the database can look up similar words, which needs the extension pg_trgm. */
  corrects: boolean;
  /**
   * The stems of the words of the question. `n`: position of the word, counted from 1. `passages`: number of passages
   * with the stem. `among`: number of passages in the languages in which the word has this stem. A stop word has no
   * stem.
   */
  stems: { n: number; stem: string; passages: number; among: number }[];
  /** Phrases that consist only of stop words are left out. */
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
        order by id = $2 desc limit 1),
    spoken as materialized (
      select language.name::regconfig as name, coalesce(w.passages, b.chunk_count) as passages
        from base b cross join unnest(b.languages) language (name)
          left join knowledge_words w on w.knowledge_base_id = b.id and w.generation = b.generation
            and w.word = '${PASSAGES}' || language.name
        where w.passages is null or w.passages > 0)
    select b.id, b.name, b.generation, b.settings, b.indexed, b.chunk_count as passages,
      (b.word_count::float8 / greatest(1, b.chunk_count)) as average_length,
      (b.word_count::float8 / greatest(1, b.document_count)) as average_document_length, ${ALLOWED} as allowed,
      to_regclass('knowledge_words_similar_ix') is not null as corrects,
      coalesce((select json_agg(json_build_object('n', asked.n, 'stem', asked.stem, 'passages', coalesce(w.passages, 0),
          'among', asked.among))
        from (select word.n, stem.lexeme as stem, sum(spoken.passages)::integer as among
          from unnest($6::text[]) with ordinality word (text, n), spoken,
            unnest(to_tsvector(spoken.name, word.text)) stem group by 1, 2) asked
        left join knowledge_words w on w.knowledge_base_id = b.id and w.generation = b.generation and w.word = asked.stem), '[]')
        as stems,
      coalesce((select json_agg(phrase.query) from (
        select string_agg(distinct phraseto_tsquery(spoken.name, quoted.text)::text, ' | ')
            filter (where numnode(phraseto_tsquery(spoken.name, quoted.text)) > 0) as query
          from unnest($7::text[]) quoted (text), spoken group by quoted.text) phrase
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

/** If the title, headings or address contain a word, its frequency in the passage increases by these numbers. */
const [TITLE_WEIGHT, HEADING_WEIGHT, ADDRESS_WEIGHT] = [2, 1, 1];
/** The parameters k1 and b of BM25 for passages. */
const PASSAGE = { k1: 1.2, b: 0.4 };
/** The parameters k1 and b of BM25 for documents. k1 is larger than for passages: repeated words count more. */
const DOCUMENT = { k1: 8, b: 0.6 };
/** The weights of the document score and of the title score, relative to the passage score. */
const [DOCUMENT_SHARE, TITLE_SHARE] = [0.6, 1];
/**
 * Factor that reduces the score of each further passage of the same document, so that one document does not fill the
 * result.
 */
const FURTHER_PASSAGE = 0.8;

/**
 * The score is BM25F of the passage, plus BM25 of its document, plus the overlap of question and title. The statement
 * checks access and deletions itself. ts_rank of a word that occurs n times is (1/1² + 1/2² + … + 1/n²) / ζ(2). The
 * missing terms 1/(n+1)² + … sum to about 1 / (n + 1/2). The statement solves this for n: 1 / (ζ(2) - ts_rank · ζ(2)) -
 * 1/2. `offset 0` makes Postgres check deletions passage by passage, until it has enough candidates. Without it,
 * Postgres may start with the sources, and then reads all passages of each source. `$1` workspace, `$2` knowledge base,
 * `$3` to `$5` reader (run-reader.ts), `$6` candidates (tsquery), `$7` generation, `$8` number of candidates, `$9`
 * terms (tsquery), `$10` number of stems of each term, `$11` weight of each term, `$12` average length of passages,
 * `$13` average length of documents, `$14` number of passages to return, `$15` to `$17` terms in title, headings and
 * address (tsquery).
 */
const RANK: Statement = {
  name: 'knowledge_rank_passages',
  text: `with base as materialized (
      select b.id from knowledge_bases b where b.workspace_id = $1 and b.id = $2 and b.deleted_at is null and ${ALLOWED}),
    term as materialized (
      select n as i, query::tsquery as query, stems * 1.64493407 as zeta, weight, title::tsquery as title, heading::tsquery as heading,
          address::tsquery as address
        from unnest($9::text[], $10::integer[], $11::float8[], $15::text[], $16::text[], $17::text[])
          with ordinality given (query, stems, weight, title, heading, address, n)),
    candidate as materialized (
      select found.document_id, found.n, ${lengthOf(PASSAGE, 'found.words', '$12')} as length,
          ${lengthOf(DOCUMENT, 'there.words', '$13')} as document_length, found.search || ''::tsvector as search
        from base, (select * from knowledge_chunks c where c.search @@ $6::tsquery offset 0) found,
          lateral (select d.word_count as words from knowledge_documents d join knowledge_sources s on s.id = d.source_id
            where d.id = found.document_id and d.deleted_at is null and s.deleted_at is null offset 0) there
        where found.knowledge_base_id = base.id and found.workspace_id = $1 and found.generation = $7
        limit $8),
    counted as materialized (
      select document_id, n, i, weight, length, document_length,
          1 / (1.64493407 - least(ts_rank('{1,1,1,1}', search, query) * zeta, 1.6445)) - 0.5 as frequency,
          case when search @@ title then length(ts_filter(search, '{a}')) end as title_length,
          search @@ heading as in_heading, search @@ address as in_address
        from candidate join term on search @@ query),
    passage as (
      select document_id, n, sum(weight * frequency / (frequency + length)) as score
        from (select document_id, n, weight, length, frequency
            + case when title_length > 0 then ${TITLE_WEIGHT} else 0 end
            + case when in_heading then ${HEADING_WEIGHT} else 0 end
            + case when in_address then ${ADDRESS_WEIGHT} else 0 end as frequency
          from counted) weighed
        group by document_id, n),
    document as (
      select document_id, sum(weight * frequency / (frequency + length)) as score,
          coalesce(sum(weight) filter (where title_length > 0) * count(title_length) / max(title_length), 0) as title
        from (select document_id, i, weight, min(document_length) as length, sum(frequency) as frequency,
            max(title_length) as title_length
          from counted group by document_id, i, weight) counted
        group by document_id),
    scored as (
      select document_id, n, (p.score + ${DOCUMENT_SHARE} * d.score + ${TITLE_SHARE} * least(d.title, sum.weights))
          / ((1 + ${DOCUMENT_SHARE} + ${TITLE_SHARE}) * sum.weights) as score
        from passage p join document d using (document_id), (select sum(weight) as weights from term) sum),
    ranked as materialized (
      select document_id, n, score * ${FURTHER_PASSAGE} ^ (place - 1)::float8 as score
        from (select document_id, n, score, row_number() over (partition by document_id order by score desc, n) as place
          from scored) placed
        order by score desc, document_id, n limit $14)
    select d.id as document_id, d.title, d.url, d.version, c.n as chunk, c.heading, c.body as text, score,
        c.start_offset as start, c.end_offset as "end"
      from ranked join knowledge_chunks c on c.document_id = ranked.document_id and c.generation = $7 and c.n = ranked.n
        join knowledge_documents d on d.id = c.document_id
      order by score desc, document_id, chunk`,
};

function lengthOf({ k1, b }: { k1: number; b: number }, words: string, average: string): string {
  return `${k1} * (${1 - b} + ${b} * ${words} / greatest(1, ${average}::float8))`;
}

export interface Ranking {
  base: Pick<SearchedBase, 'id' | 'generation' | 'average_length' | 'average_document_length'>;
  candidates: string;
  mostCandidates: number;
  terms: readonly RankedTerm[];
  limit: number;
}

/** Each statement checks access and deletions itself. */
@Injectable()
export class PassageSearchRepository {
  constructor(private readonly statements: Statements) {}

  /** Returns null if there is no such base. */
  async prepareSearch(
    workspaceId: string,
    base: string,
    reader: RunReader | null,
    { words, phrases }: Question,
  ): Promise<SearchedBase | null> {
    const values = [workspaceId, base, ...principalParameters(reader), words, phrases];
    const [found] = await this.statements.query<SearchedBase>(PREPARE, values);
    return found ?? null;
  }

  findSimilarWords(
    { id, generation }: Pick<SearchedBase, 'id' | 'generation'>,
    asked: readonly { n: number; word: string }[],
    nearby: readonly { n: number; word: string }[],
  ): Promise<{ n: number; word: string; passages: number }[]> {
    const columns = [asked, nearby].flatMap((list) => [list.map(({ n }) => n), list.map(({ word }) => word)]);
    return this.statements.query(SIMILAR, [id, generation, ...columns]);
  }

  async rankPassages(
    workspaceId: string,
    reader: RunReader | null,
    { base, candidates, mostCandidates, terms, limit }: Ranking,
  ): Promise<FoundPassage[]> {
    const rows = await this.statements.query<FoundRow>(RANK, [
      workspaceId,
      base.id,
      ...principalParameters(reader),
      candidates,
      base.generation,
      mostCandidates,
      terms.map(({ query }) => query),
      terms.map(({ stems }) => stems),
      terms.map(({ weight }) => weight),
      base.average_length,
      base.average_document_length,
      limit,
      terms.map(({ inTitle }) => inTitle),
      terms.map(({ inHeadings }) => inHeadings),
      terms.map(({ inAddress }) => inAddress),
    ]);
    return rows.map(({ document_id: id, title, url, version, ...passage }) => ({
      document: { id, title, url, version },
      ...passage,
    }));
  }
}
