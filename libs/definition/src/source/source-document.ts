import type { JsonValue } from '@app/kernel';

export type SourcePath = readonly (string | number)[];

/** The place of a value in the text, in UTF-16 offsets. */
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

/** Thrown for a text that the readers reject. `parseDefinition` turns it into an error of the definition. */
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

export const MAX_VALUES = 10_000;
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * The value of a document and the positions of its parts. Positions are computed on first use, because most documents
 * have no errors.
 */
export class SourceDocument {
  private knownRoot: PlacedValue | undefined;
  private knownLineStarts: readonly number[] | undefined;

  constructor(
    readonly text: string,
    readonly value: JsonValue,
    private readonly findPlaces: () => PlacedValue,
  ) {}

  get root(): PlacedValue {
    return (this.knownRoot ??= this.findPlaces());
  }

  private get lineStarts(): readonly number[] {
    return (this.knownLineStarts ??= lineStartsOf(this.text));
  }

  /** Returns the offset of the key or value at `path`, or of its nearest ancestor that exists. */
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

  /** Returns the offset of the end of the key or value at `path`, or of its nearest ancestor that exists. */
  endOf(path: SourcePath, target: 'key' | 'value'): number {
    let at = this.root;
    for (const [depth, part] of path.entries()) {
      const next = at.members?.get(String(part))?.value ?? at.items?.[Number(part)];
      if (!next) return at.end;
      if (target === 'key' && depth === path.length - 1 && at.members !== undefined) return next.start;
      at = next;
    }
    return at.end;
  }

  /**
   * Returns the offset of the text `fragment` inside the scalar at `path`, plus `shift`. If the scalar does not contain
   * the text, returns the offset of the start of the scalar.
   */
  offsetInside(path: SourcePath, fragment: string, shift: number): number {
    const at = path.reduce<PlacedValue | undefined>(
      (value, part) => value?.members?.get(String(part))?.value ?? value?.items?.[Number(part)],
      this.root,
    );
    if (!at) return this.offsetOf(path, 'value');
    const found = this.text.slice(at.start, at.end).indexOf(fragment);
    return found === -1 ? at.start : at.start + found + shift;
  }

  /**
   * Returns the line and the column, both counted from 1 (columns in UTF-16 units), and the text around the position.
   */
  position(offset: number): Position {
    return { ...positionIn(this.lineStarts, offset), excerpt: excerptOf(this.text, offset) };
  }
}

export interface Position {
  readonly line: number;
  readonly column: number;
  readonly excerpt: string;
}

export function positionOf(text: string, offset: number): Position {
  const inside = Math.min(offset, text.length);
  return { ...positionIn(lineStartsOf(text), inside), excerpt: excerptOf(text, inside) };
}

const MAX_EXCERPT = 120;

function excerptOf(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  const from = Math.max(start, offset - MAX_EXCERPT / 2);
  const to = Math.min(end === -1 ? text.length : end, from + MAX_EXCERPT);
  // Cutting the line may split a surrogate pair.
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

/**
 * Postgres cannot store NUL characters and unpaired surrogates, even if the text contains them as escapes.
 * @throws SourceError if the text contains such a character
 */
export function checkText(text: string, offset: number, path: SourcePath): void {
  if (text.includes('\0')) throw new SourceError('Text must not contain NUL characters.', offset, 'Remove it.', path);
  if (text.isWellFormed()) return;
  throw new SourceError(
    'A string must not contain an unpaired surrogate (half of a UTF-16 character).',
    offset,
    'Write the whole character, or remove it.',
    path,
  );
}

/** @throws SourceError for keys that could reach a prototype */
export function checkKey(name: string, offset: number, path: SourcePath): void {
  checkText(name, offset, path);
  if (!FORBIDDEN_KEYS.has(name)) return;
  throw new SourceError(`The key \`${name}\` is not allowed.`, offset, 'Choose another name.', path);
}

export function duplicateKey(name: string, offset: number, path: SourcePath): SourceError {
  return new SourceError(`The key \`${name}\` appears twice in one object.`, offset, 'Keep one of them.', path);
}

export function tooDeep(maxDepth: number, offset: number, path: SourcePath = []): SourceError {
  return new SourceError(`Values are nested deeper than ${maxDepth} levels.`, offset, 'Use fewer levels.', path);
}

export function tooManyValues(offset: number): SourceError {
  return new SourceError(`The document has more than ${MAX_VALUES} values.`, offset, 'Split it into several agents.');
}
