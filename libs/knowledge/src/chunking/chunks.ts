import { hasHeadings, type Heading, headingsOf } from '@app/platform/markdown';
import { type TextUnit, unitsOf } from './text-units.js';

export interface ChunkingRules {
  /**
   * `markdown`: a chunk never extends over a heading. `sentence`: headings are treated as text. `auto`: `markdown` if
   * the text has headings, otherwise `sentence`.
   */
  strategy: 'auto' | 'markdown' | 'sentence';
  max_tokens: number;
  overlap_tokens: number;
}

/** A passage of a document: `text.slice(start, end)`, in UTF-16 code units. */
export interface Chunk {
  n: number;
  headings: readonly string[];
  start: number;
  end: number;
  tokens: number;
}

/**
 * Yields one passage at a time, so that a large text is in memory only once. Leaves out only white space and the lines
 * of headings. If the text consists only of headings, they are treated as text.
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

interface Section {
  headings: readonly string[];
  start: number;
  end: number;
}

function sectionsOf(text: string, strategy: ChunkingRules['strategy']): Generator<Section> {
  const byHeading = strategy === 'markdown' || (strategy === 'auto' && hasHeadings(text));
  return byHeading ? markdownSections(text) : wholeText(text);
}

function* wholeText(text: string): Generator<Section> {
  yield { headings: [], start: 0, end: text.length };
}

function* markdownSections(text: string): Generator<Section> {
  const path: Heading[] = [];
  const headings = (): string[] => path.map(({ title }) => title);
  let start = 0;
  for (const heading of headingsOf(text)) {
    if (heading.start > start) yield { headings: headings(), start, end: heading.start };
    while (path.length > 0 && (path.at(-1)?.level ?? 0) >= heading.level) path.pop();
    path.push(heading);
    start = heading.end;
  }
  if (start < text.length) yield { headings: headings(), start, end: text.length };
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

/** Never returns the first unit. */
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
