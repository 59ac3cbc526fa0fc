import type { JsonValue } from '@app/kernel';

export type SourcePath = readonly (string | number)[];

/** Where a value of the document stands in its text, in UTF-16 offsets. */
export interface PlacedValue {
  readonly start: number;
  readonly end: number;
  readonly members?: ReadonlyMap<string, PlacedMember>;
  readonly items?: readonly PlacedValue[];
}

export interface PlacedMember {
  readonly keyStart: number;
  readonly value: PlacedValue;
}

/** A text that cannot be read. Thrown by the readers, answered by `parseDefinition`. */
export class SourceError extends Error {
  constructor(
    readonly detail: string,
    readonly offset: number,
    readonly suggestion?: string,
    readonly path: SourcePath = [],
  ) {
    super(detail);
  }
}

/** Most values, and the keys that no document may have. */
export const MAX_VALUES = 10_000;
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** A document and the place of everything in it. Most documents are fine, so places are only looked for when one is asked for. */
export class SourceDocument {
  private knownRoot: PlacedValue | undefined;
  private knownLineStarts: readonly number[] | undefined;

  constructor(
    private readonly text: string,
    readonly value: JsonValue,
    private readonly findPlaces: () => PlacedValue,
  ) {}

  get root(): PlacedValue {
    return (this.knownRoot ??= this.findPlaces());
  }

  private get lineStarts(): readonly number[] {
    return (this.knownLineStarts ??= lineStartsOf(this.text));
  }

  /** The offset of the key (or the list item) that `path` leads to, or of the nearest place above that exists. */
  offsetOf(path: SourcePath, target: 'key' | 'value'): number {
    let at = this.root;
    let offset = at.start;
    for (const part of path) {
      const member = at.members?.get(String(part));
      const next = member?.value ?? at.items?.[Number(part)];
      if (!next) return offset;
      offset = target === 'key' ? (member?.keyStart ?? next.start) : next.start;
      at = next;
    }
    return offset;
  }

  /** The offset of `fragment` inside the scalar at `path`; of the scalar where it is written in another way. */
  offsetInside(path: SourcePath, fragment: string, shift: number): number {
    const at = path.reduce<PlacedValue | undefined>(
      (value, part) => value?.members?.get(String(part))?.value ?? value?.items?.[Number(part)],
      this.root,
    );
    if (!at) return this.offsetOf(path, 'value');
    const found = this.text.slice(at.start, at.end).indexOf(fragment);
    return found === -1 ? at.start : at.start + found + shift;
  }

  /** Line and column, both from 1, and the text around them; columns count UTF-16 units. */
  position(offset: number): Position {
    return { ...positionIn(this.lineStarts, offset), excerpt: excerptOf(this.text, offset) };
  }
}

/** Where something stands in a text. */
export interface Position {
  readonly line: number;
  readonly column: number;
  /** The line, or of a long one what is around the place. */
  readonly excerpt: string;
}

/** Line, column and surroundings of an offset in a text that could not be read. */
export function positionOf(text: string, offset: number): Position {
  const inside = Math.min(offset, text.length);
  return { ...positionIn(lineStartsOf(text), inside), excerpt: excerptOf(text, inside) };
}

const LONGEST_EXCERPT = 120;

function excerptOf(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  const from = Math.max(start, offset - LONGEST_EXCERPT / 2);
  const to = Math.min(end === -1 ? text.length : end, from + LONGEST_EXCERPT);
  // Half a surrogate pair at a cut is no text.
  return text.slice(from, to).toWellFormed().trim();
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function positionIn(lineStarts: readonly number[], offset: number): { line: number; column: number } {
  let low = 0;
  let high = lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (lineStarts[low] ?? 0) + 1 };
}

/** Refuses NUL and half a surrogate pair, also where they are written as escapes: databases cannot store them in text. */
export function checkText(text: string, offset: number, path: SourcePath): void {
  if (text.includes('\0')) throw new SourceError('Text must not contain NUL characters.', offset, undefined, path);
  if (text.isWellFormed()) return;
  throw new SourceError('Text must not contain half a surrogate pair.', offset, undefined, path);
}

/** Refuses keys that reach for a prototype. */
export function checkKey(name: string, offset: number, path: SourcePath): void {
  checkText(name, offset, path);
  if (!isForbiddenKey(name)) return;
  throw new SourceError(`The key \`${name}\` is not allowed.`, offset, 'Choose another name.', path);
}

function isForbiddenKey(name: string): boolean {
  return FORBIDDEN_KEYS.has(name);
}

export function duplicateKey(name: string, offset: number, path: SourcePath): SourceError {
  return new SourceError(`The key \`${name}\` is there twice.`, offset, 'Keep one of them.', path);
}

export function tooDeep(maxDepth: number, offset: number, path: SourcePath = []): SourceError {
  return new SourceError(`Nested deeper than ${maxDepth} levels.`, offset, 'Flatten it.', path);
}

export function tooManyValues(offset: number): SourceError {
  return new SourceError('The document has too many values.', offset, 'Split it into several agents.');
}
