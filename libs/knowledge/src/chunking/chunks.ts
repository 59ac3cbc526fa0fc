import { hasHeadings } from '@app/platform/markdown';
import { markdownSections, type Section, wholeText } from './sections.js';
import { type TextUnit, unitsOf } from './text-units.js';

export interface ChunkingRules {
  /** `markdown`: never across a heading; `sentence`: headings are text; `auto`: `markdown` where there are headings. */
  strategy: 'auto' | 'markdown' | 'sentence';
  /** Tokens of a chunk at most (estimated, see `chunking/token-atoms.ts`). */
  max_tokens: number;
  /** Tokens at the end of a chunk that the next one of the same section begins with, at most. */
  overlap_tokens: number;
}

/** A passage of a document: `text.slice(start, end)`, in UTF-16 code units. */
export interface Chunk {
  /** From 0. */
  n: number;
  /** The headings it stands below, outermost first. */
  headings: readonly string[];
  start: number;
  end: number;
  tokens: number;
}

/**
 * Cuts a text into passages, in order and one at a time, so that a large document is never held twice. Linear in the length of
 * the text. Nothing but white space and the lines of headings is left out; a text of headings alone is one section.
 */
export function* chunksOf(text: string, rules: ChunkingRules): Generator<Chunk> {
  let n = 0;
  for (const section of sectionsOf(text, rules.strategy)) {
    for (const chunk of packed(text, section, rules)) yield { n: n++, headings: section.headings, ...chunk };
  }
  if (n > 0) return;
  for (const section of wholeText(text)) {
    for (const chunk of packed(text, section, rules)) yield { n: n++, headings: [], ...chunk };
  }
}

function sectionsOf(text: string, strategy: ChunkingRules['strategy']): Generator<Section> {
  const byHeading = strategy === 'markdown' || (strategy === 'auto' && hasHeadings(text));
  return byHeading ? markdownSections(text) : wholeText(text);
}

function* packed(
  text: string,
  { start, end }: Section,
  { max_tokens: max, overlap_tokens: overlap }: ChunkingRules,
): Generator<TextUnit> {
  let units: TextUnit[] = [];
  let tokens = 0;
  for (const unit of unitsOf(text, start, end, max)) {
    if (tokens + unit.tokens > max) {
      yield joined(units, tokens);
      units = lastOf(units, Math.min(overlap, max - unit.tokens));
      tokens = sum(units);
    }
    units.push(unit);
    tokens += unit.tokens;
  }
  if (units.length > 0) yield joined(units, tokens);
}

function joined(units: readonly TextUnit[], tokens: number): TextUnit {
  return { start: units[0]?.start ?? 0, end: units.at(-1)?.end ?? 0, tokens };
}

/** The last units that take `budget` tokens at most, never all of them. */
function lastOf(units: readonly TextUnit[], budget: number): TextUnit[] {
  let first = units.length;
  let left = budget;
  while (first > 1 && (units[first - 1]?.tokens ?? 0) <= left) {
    first -= 1;
    left -= units[first]?.tokens ?? 0;
  }
  return units.slice(first);
}

function sum(units: readonly TextUnit[]): number {
  return units.reduce((total, { tokens }) => total + tokens, 0);
}
