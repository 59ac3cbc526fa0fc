/** One part of a path in a definition: a key, or null for an item of a list. */
export type PathStep = string | null;

/** Position of the cursor in a definition that may be incomplete. */
export interface YamlPlace {
  path: readonly PathStep[];
  /** The other keys of the same object, with the text of their values. */
  siblings: ReadonlyMap<string, string>;
  /** Key whose value the person is typing. Undefined while the person types a key. */
  key?: string;
  /** The part of the key or value between its start and the cursor. */
  written: string;
  /** Offset in the text at which `written` begins. */
  from: number;
}

interface Entry {
  column: number;
  /** Key on the line. Undefined for the dash of a list item. */
  key?: string;
  value: string;
}

const KEY = /^(?:"([^"]*)"|'([^']*)'|([^\s#'"{}[\],&*!|>%@][^#{}[\],]*?))\s*:(?:\s+(.*))?$/;

/**
 * Returns the place of the cursor, or undefined if completion is not possible there: inside a comment, a block scalar
 * or a flow collection.
 */
export function placeAt(text: string, offset: number): YamlPlace | undefined {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const before = text.slice(lineStart, offset);
  if (/[#{}[\]]/.test(before)) return undefined;
  const { column, rest } = contentOf(before);
  const lines = text.split('\n');
  const row = text.slice(0, lineStart).split('\n').length - 1;
  const above = [...entriesOf(lines.slice(0, row)), ...dashesOf(before)];
  const around = containerOf(above, column);
  if (around === undefined) return undefined;
  const siblings = new Map([...around.siblings, ...siblingsBelow(lines.slice(row + 1), column)]);
  const [, name, separator = '', value = ''] = /^([^:]*?)(:\s*)?((?<=:\s*).*)?$/.exec(rest) ?? [];
  if (separator === '') return { path: around.path, siblings, written: rest, from: offset - rest.length };
  return { path: around.path, siblings, key: unquoted(name ?? ''), written: value, from: offset - value.length };
}

/** Returns the key on a line, and the path of the object with the key. Returns undefined if the line has no key. */
export function memberOnLine(text: string, row: number): { path: readonly PathStep[]; key: string } | undefined {
  const lines = text.split('\n');
  const own = entriesOf([lines[row] ?? '']);
  const named = own.at(-1);
  if (named?.key === undefined) return undefined;
  const around = containerOf([...entriesOf(lines.slice(0, row)), ...own.slice(0, -1)], named.column);
  return around && { path: around.path, key: named.key };
}

/**
 * Returns the keys of the object at `path` in the order of the text. Returns no keys if the object is written in braces.
 */
export function keysAt(text: string, path: readonly string[]): string[] {
  const keys: string[] = [];
  const parents: Entry[] = [];
  for (const entry of entriesOf(text.split('\n'))) {
    while ((parents.at(-1)?.column ?? -1) >= entry.column) parents.pop();
    const isMember = parents.length === path.length && parents.every(({ key }, index) => key === path[index]);
    if (isMember && entry.key !== undefined) keys.push(entry.key);
    parents.push(entry);
  }
  return keys;
}

function unquoted(name: string): string {
  return name.trim().replace(/^(["'])(.*)\1$/, '$2');
}

/**
 * Splits a line into its indentation, which includes the dashes of list items, and the rest. Returns the width of the
 * indentation as `column`.
 */
function contentOf(line: string): { column: number; rest: string } {
  const column = /^\s*(?:-\s+)*/.exec(line)?.[0].length ?? 0;
  return { column, rest: line.slice(column) };
}

function dashesOf(line: string): Entry[] {
  const structure = line.slice(0, contentOf(line).column);
  return [...structure.matchAll(/-/g)].map(({ index }) => ({ column: index, value: '' }));
}

/** Returns an entry for each key and each list dash, from top to bottom. Omits comments and block scalars. */
function entriesOf(lines: readonly string[]): Entry[] {
  const entries: Entry[] = [];
  let block: number | undefined;
  for (const line of lines) {
    const { column, rest } = contentOf(line);
    if (rest === '' || rest.startsWith('#')) continue;
    const indent = line.length - line.trimStart().length;
    if (block !== undefined && indent > block) continue;
    block = undefined;
    entries.push(...dashesOf(line));
    const [, double, single, plain, value = ''] = KEY.exec(rest.trimEnd()) ?? [];
    const key = double ?? single ?? plain;
    if (key === undefined) continue;
    entries.push({ column, key, value });
    if (/^[|>][-+0-9]*$/.test(value)) block = column;
  }
  if (block !== undefined) entries.push({ column: block + 1, value: '|' });
  return entries;
}

interface Container {
  path: PathStep[];
  siblings: Map<string, string>;
}

/**
 * Returns the object that contains the cursor, derived from the entries above the cursor. `column` is the column of the
 * cursor. Returns undefined inside a block scalar.
 */
function containerOf(above: readonly Entry[], column: number): Container | undefined {
  const container: Container = { path: [], siblings: new Map() };
  let limit = column;
  let isOwn = true;
  let needsList = false;
  for (const entry of above.toReversed()) {
    if (entry.value === '|' && entry.key === undefined && entry.column <= column && isOwn) return undefined;
    // YAML allows a list to start at the column of its key.
    const isAncestor = entry.column < limit || (needsList && entry.key !== undefined && entry.column === limit);
    if (isAncestor) {
      container.path.unshift(entry.key ?? null);
      limit = entry.column;
      isOwn = false;
      needsList = entry.key === undefined;
    } else if (isOwn && entry.column === column && entry.key !== undefined) {
      container.siblings.set(entry.key, entry.value);
    }
  }
  return container;
}

function siblingsBelow(lines: readonly string[], column: number): Map<string, string> {
  const siblings = new Map<string, string>();
  for (const entry of entriesOf(lines)) {
    if (entry.column < column) break;
    if (entry.column === column && entry.key === undefined) break;
    if (entry.column === column && entry.key !== undefined) siblings.set(entry.key, entry.value);
  }
  return siblings;
}
