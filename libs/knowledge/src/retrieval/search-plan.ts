/** A word of the question as the base knows it: the stems that it has in the base's languages, or what it is a misspelling of. */
export interface SearchTerm {
  stems: readonly string[];
  /** Passages that one of them stands in. */
  passages: number;
  /** Passages in the languages that it is a word of: what is rare among few passages is not rare. */
  among: number;
  /** Below 1 for a guess at what a misspelt word means. */
  weight: number;
}

export interface SearchPlan {
  /**
   * Which passages are looked at, as tsqueries: the first finds those that the best are among and few others; a later one is for when
   * there are not enough of them.
   */
  candidates: readonly string[];
  /** What they are ranked by. */
  terms: readonly RankedTerm[];
}

/** A word that passages are ranked by. */
export interface RankedTerm {
  query: string;
  /** The same query of the title, the headings and the address of a passage alone. */
  inTitle: string;
  inHeadings: string;
  inAddress: string;
  stems: number;
  weight: number;
}

/** Passages that are ranked at most. */
export const MOST_CANDIDATES = 1_500;
const MOST_TERMS = 16;
/** Words that are combined where each alone stands in too many passages. */
const MOST_COMBINED = 7;
/** How much likelier words of one question stand together than by chance. */
const COMPANY = 3;

/**
 * How to search `total` passages for the terms. The rarer a word, the more it says: rare ones are looked up as they are, common ones
 * only where several stand together. So the work is bounded by the number of candidates and not by the size of the base. All is
 * found where that is little.
 */
export function planSearch(terms: readonly SearchTerm[], phrases: readonly string[], total: number): SearchPlan {
  const known = terms.filter(({ passages }) => passages > 0).sort((a, b) => a.passages - b.passages);
  const used = known.slice(0, MOST_TERMS);
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
  const candidates = [selectiveQuery(used, total), anyOf(queries.slice(0, enough(used))), anyOf(queries)];
  return { candidates: [...new Set(candidates)], terms: ranked };
}

/** How many of the terms, the rarest first, it takes to have more passages than are ranked: commoner ones only add worse candidates. */
function enough(terms: readonly SearchTerm[]): number {
  let found = 0;
  const last = terms.findIndex(({ passages }) => (found += passages) > MOST_CANDIDATES);
  return last < 0 ? terms.length : last + 1;
}

/** Robertson and Spärck Jones's weight as BM25 uses it, never negative. */
function rarity(passages: number, total: number): number {
  const known = Math.max(total, passages);
  return Math.log(1 + (known - passages + 0.5) / (passages + 0.5));
}

function selectiveQuery(terms: readonly SearchTerm[], total: number): string {
  let room = MOST_CANDIDATES;
  let alone = 0;
  for (const { passages } of terms) {
    if (passages > room) break;
    room -= passages;
    alone += 1;
  }
  const queries = terms.map(({ stems }) => anyOf(stems.map(lexeme)));
  const parts = queries.slice(0, alone);
  const common = terms.slice(alone, alone + MOST_COMBINED);
  parts.push(...together(common, queries.slice(alone), room, total));
  return anyOf(parts.length > 0 ? parts : [conjunction(common.keys(), queries)]);
}

/** Conjunctions of as few of the common terms as keep within the room; none where even all of them stand together too often. */
function together(terms: readonly SearchTerm[], queries: readonly string[], room: number, total: number): string[] {
  for (let size = 1; size <= terms.length; size += 1) {
    const groups = combinations(terms.length, size);
    const expected = groups.map((group) => {
      const chance = group.reduce((product, n) => product * Math.min(1, (terms[n]?.passages ?? 0) / total), 1);
      return chance * total * (size > 1 ? COMPANY : 1);
    });
    if (expected.reduce((sum, each) => sum + each, 0) <= room)
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

/** A stem as it is written in a tsquery. */
export function lexeme(stem: string): string {
  return `'${stem.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
