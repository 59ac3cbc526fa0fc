import { isMap, isScalar, isSeq, type ParsedNode, parseDocument } from 'yaml';
import { type Json, listOf, objectOf } from '../plan/definition-json.js';
import { KINDS } from '../plan/definition-plan.js';

/** The place of the cursor in a definition, which may be incomplete. */
export interface DefinitionPlace {
  path: readonly (string | number)[];
  /** Offset in the text at which the value at `path` begins. */
  start: number;
  /** The definition. Parts that cannot be parsed are missing. */
  definition: Json;
  /** The objects that contain the place, from the definition inward. */
  around: readonly Json[];
}

function parse(text: string) {
  const document = parseDocument(text, { logLevel: 'silent', prettyErrors: false, uniqueKeys: false });
  return { text, document, definition: objectOf(valueOf(() => document.toJS({ maxAliasCount: 0 }))) };
}

/** The last text, because the cursor moves more often than the text changes. */
let last: ReturnType<typeof parse> | undefined;

/**
 * Returns the place of the cursor in the text, also inside flow collections and strings. `fallback` is the last
 * definition that was parsed without an error; its members replace those of a text with errors.
 */
export function definitionPlace(text: string, offset: number, fallback: unknown): DefinitionPlace {
  if (last?.text !== text) last = parse(text);
  const { document, definition: parsed } = last;
  const path: (string | number)[] = [];
  let start = 0;
  let node: ParsedNode | null = document.contents;
  while (node !== null) {
    start = node.range[0];
    node = childAt(node, offset, path);
  }
  const definition = document.errors.length === 0 ? parsed : { ...parsed, ...objectOf(fallback) };
  return { path, start, definition, around: objectsAlong(parsed, path) };
}

/** Returns the id of the innermost step that contains the cursor. Returns undefined outside of the plan. */
export function stepAt(text: string, offset: number): string | undefined {
  const { path, around } = definitionPlace(text, offset, undefined);
  if (path[0] !== 'steps' && path[0] !== 'on_failure') return undefined;
  const id = around
    .slice(1)
    .findLast((object) => typeof object.id === 'string' && KINDS.some((kind) => kind in object))?.id;
  return typeof id === 'string' ? id : undefined;
}

/** Returns the last child that begins before the offset, and adds its key or index to the path. */
function childAt(node: ParsedNode, offset: number, path: (string | number)[]): ParsedNode | null {
  if (isSeq(node)) {
    const index = node.items.findLastIndex(({ range }) => range[0] <= offset);
    if (index < 0) return null;
    path.push(index);
    return node.items[index] ?? null;
  }
  if (!isMap(node)) return null;
  const pair = node.items.findLast(({ key }) => key.range[0] <= offset);
  if (pair === undefined || !isScalar(pair.key) || pair.key.range[1] >= offset) return null;
  path.push(String(pair.key.value));
  return pair.value;
}

function objectsAlong(definition: Json, path: readonly (string | number)[]): Json[] {
  const objects: Json[] = [definition];
  let value: unknown = definition;
  for (const part of path) {
    value = typeof part === 'number' ? listOf(value)[part] : objectOf(value)[part];
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) objects.push(objectOf(value));
  }
  return objects;
}

function valueOf(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const LISTS = ['steps', 'else'];

/**
 * Returns the steps whose results an expression at the path can read, in the order of the plan: the steps before it,
 * with those in the branches of a `switch` or a `parallel`. Outside of the plan, returns all steps.
 */
export function stepsBefore({ definition, path }: Pick<DefinitionPlace, 'definition' | 'path'>): Json[] {
  const [list = '', ...rest] = path;
  const all = listOf(definition.steps).flatMap((step) => withInner(objectOf(step), true));
  if (list === 'steps') return before(listOf(definition.steps), rest);
  return list === 'on_failure' ? [...all, ...before(listOf(definition.on_failure), rest)] : all;
}

function before(steps: readonly unknown[], [index, ...path]: readonly (string | number)[]): Json[] {
  if (typeof index !== 'number') return [];
  const earlier = steps.slice(0, index).flatMap((step) => withInner(objectOf(step), false));
  const own = objectOf(steps[index]);
  const isAfterRound = path[0] === 'repeat' && path[1] !== 'steps' && path[1] !== 'carry' && path[1] !== 'while';
  if (isAfterRound) return [...earlier, ...listOf(objectOf(own.repeat).steps).map(objectOf)];
  let value: unknown = own;
  for (const [at, part] of path.entries()) {
    value = typeof part === 'number' ? listOf(value)[part] : objectOf(value)[part];
    if (LISTS.includes(String(part)) && Array.isArray(value)) return [...earlier, ...before(value, path.slice(at + 1))];
  }
  return earlier;
}

/** Returns the step, after the steps that it contains. Outside of a loop, nothing can read the steps in the loop. */
function withInner(step: Json, isLoopOpen: boolean): Json[] {
  const branches = [...listOf(step.switch), ...listOf(step.parallel)].flatMap((branch) =>
    listOf(objectOf(branch).steps),
  );
  const rounds = isLoopOpen ? [...listOf(step.steps), ...listOf(objectOf(step.repeat).steps)] : [];
  const inner = [...branches, ...listOf(step.else), ...rounds].map(objectOf);
  return [...inner.flatMap((each) => withInner(each, isLoopOpen)), step];
}
