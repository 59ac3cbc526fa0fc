import { indexedWords, searchWords } from '../documents/search-words.js';

export interface Question {
  words: readonly string[];
  /** A passage must contain the words of such a text adjacent and in the same order. */
  phrases: readonly string[];
}

/** Further words are ignored. */
const MAX_WORDS = 64;
const MAX_PHRASES = 8;
const QUOTED = /["“”„«»]([^"“”„«»]{1,500})["“”„«»]/gu;

export function readQuestion(query: string): Question {
  const phrases = new Set<string>();
  for (const [, quoted = ''] of query.matchAll(QUOTED)) {
    const words = searchWords(quoted);
    if (words.count > 1) phrases.add(words.text);
  }
  const words = new Set(indexedWords(searchWords(query)).toLowerCase().split(' ').filter(Boolean));
  return { words: [...words].slice(0, MAX_WORDS), phrases: [...phrases].slice(0, MAX_PHRASES) };
}

/** If the word is misspelt, `stems` contains the most similar words of the knowledge base instead. */
export interface SearchTerm {
  stems: readonly string[];
  passages: number;
  /**
   * The rarity of the word is relative to this number. Relative to all passages, every word of a language with few
   * passages would count as rare.
   */
  among: number;
  /** 1, or less if the word was corrected. */
  weight: number;
}

export interface SearchPlan {
  /** A later query is used only if the earlier queries find too few passages. */
  candidates: readonly string[];
  terms: readonly RankedTerm[];
}

export interface RankedTerm {
  query: string;
  inTitle: string;
  inHeadings: string;
  inAddress: string;
  stems: number;
  weight: number;
}

export const MAX_CANDIDATES = 1_500;
const MAX_TERMS = 16;
/** A common word occurs in too many passages, so it is searched only in combination with other words. */
const MAX_COMBINED = 7;
const CO_OCCURRENCE = 3;

/** The work therefore depends on the number of candidates and not on the size of the knowledge base. */
export function planSearch(terms: readonly SearchTerm[], phrases: readonly string[], total: number): SearchPlan {
  const known = terms.filter(({ passages }) => passages > 0).sort((a, b) => a.passages - b.passages);
  const used = known.slice(0, MAX_TERMS);
  const ranked = used.map((term) => ({
    query: anyOf(term.stems.map(lexeme)),
    inTitle: anyOf(term.stems.map((stem) => `${lexeme(stem)}:A`)),
    inHeadings: anyOf(term.stems.map((stem) => `${lexeme(stem)}:B`)),
    inAddress: anyOf(term.stems.map((stem) => `${lexeme(stem)}:C`)),
    stems: term.stems.length,
    weight: term.weight * rarity(term.passages, term.among),
  }));
  if (phrases.length > 0) return { candidates: [allOf(phrases)], terms: ranked };
  if (used.length === 0) return { candidates: [], terms: [] };
  const queries = ranked.map(({ query }) => query);
  const candidates = [selectiveQuery(used, total), anyOf(queries.slice(0, countSufficient(used))), anyOf(queries)];
  return { candidates: [...new Set(candidates)], terms: ranked };
}

/** Further terms would only add worse candidates. */
function countSufficient(terms: readonly SearchTerm[]): number {
  let found = 0;
  const last = terms.findIndex(({ passages }) => (found += passages) > MAX_CANDIDATES);
  return last < 0 ? terms.length : last + 1;
}

function rarity(passages: number, total: number): number {
  const known = Math.max(total, passages);
  return Math.log(1 + (known - passages + 0.5) / (passages + 0.5));
}

function selectiveQuery(terms: readonly SearchTerm[], total: number): string {
  let capacity = MAX_CANDIDATES;
  let alone = 0;
  for (const { passages } of terms) {
    if (passages > capacity) break;
    capacity -= passages;
    alone += 1;
  }
  const queries = terms.map(({ stems }) => anyOf(stems.map(lexeme)));
  const parts = queries.slice(0, alone);
  const common = terms.slice(alone, alone + MAX_COMBINED);
  parts.push(...conjunctionsOf(common, queries.slice(alone), capacity, total));
  return anyOf(parts.length > 0 ? parts : [conjunction(common.keys(), queries)]);
}

/**
 * `n` is the smallest number for which these conjunctions are expected to find at most `capacity` passages in total.
 * Returns an empty array if even the conjunction of all terms is expected to find more.
 */
function conjunctionsOf(
  terms: readonly SearchTerm[],
  queries: readonly string[],
  capacity: number,
  total: number,
): string[] {
  for (let size = 1; size <= terms.length; size += 1) {
    const groups = combinations(terms.length, size);
    const expected = groups.map((group) => {
      const chance = group.reduce((product, n) => product * Math.min(1, (terms[n]?.passages ?? 0) / total), 1);
      return chance * total * (size > 1 ? CO_OCCURRENCE : 1);
    });
    if (expected.reduce((sum, each) => sum + each, 0) <= capacity)
      return groups.map((group) => conjunction(group, queries));
  }
  return [];
}

function conjunction(group: Iterable<number>, queries: readonly string[]): string {
  return allOf([...group].map((n) => queries[n] ?? ''));
}

function combinations(of: number, size: number, from = 0): number[][] {
  if (size === 0) return [[]];
  const result: number[][] = [];
  for (let n = from; n <= of - size; n += 1) {
    for (const rest of combinations(of, size - 1, n + 1)) result.push([n, ...rest]);
  }
  return result;
}

const anyOf = (queries: readonly string[]): string =>
  queries.length === 1 ? (queries[0] ?? '') : `(${queries.join(' | ')})`;
const allOf = (queries: readonly string[]): string =>
  queries.length === 1 ? (queries[0] ?? '') : `(${queries.join(' & ')})`;

export function lexeme(stem: string): string {
  return `'${stem.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
