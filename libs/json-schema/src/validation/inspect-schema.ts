import type { JsonObject } from '@app/kernel';
import { compilingWork, regexProblem, safeRegex } from '@app/cel';
import { toRe2 } from './assertions.js';
import { CompiledSchema } from './compiled-schema.js';
import type { Path } from './schema-document.js';
import type { SchemaNode, UncheckedKeyword } from './schema-node.js';
import { CheckLimitError } from './work-budget.js';

const MAX_SCHEMAS = 20_000;
/** Maximum number of schemas that may be applied to one value. Nested alternatives multiply the number. */
const MAX_AT_ONCE = 10_000;
/** Maximum length of a chain of schemas in which each schema applies the next one to the same value. */
const MAX_CHAIN = 256;
const MAX_PATTERN_WORK = 300_000;
const MAX_REPORTED = 5;

export interface SchemaRefusal {
  readonly path: Path;
  readonly detail: string;
  readonly suggestion: string;
}

export interface SchemaInspection {
  readonly refusals: readonly SchemaRefusal[];
  readonly unchecked: readonly UncheckedKeyword[];
}

/** Compiling one pattern takes up to ten milliseconds. */
export class PatternWork {
  private left = MAX_PATTERN_WORK;
  private readonly counted = new Set<string>();

  /** Returns false if the work for all patterns added so far exceeds the limit. */
  allows(schema: JsonObject): boolean {
    const open: unknown[] = [schema];
    for (let value = open.pop(); value !== undefined; value = open.pop()) {
      if (typeof value !== 'object' || value === null) continue;
      const { pattern, patternProperties } = value as JsonObject;
      if (typeof pattern === 'string') this.count(pattern);
      if (typeof patternProperties === 'object') Object.keys(patternProperties ?? {}).forEach((one) => this.count(one));
      for (const member of Object.values(value)) open.push(member);
    }
    return this.left >= 0;
  }

  private count(pattern: string): void {
    if (this.counted.has(pattern)) return;
    this.counted.add(pattern);
    const re2 = toRe2(pattern);
    this.left -= compilingWork(re2);
    if (this.left >= 0 && regexProblem(re2) === undefined) this.left -= safeRegex(re2).explorationWork;
  }
}

/** Work that depends on a value is limited when the value is checked. */
export function inspectSchema(schema: JsonObject, patterns = new PatternWork()): SchemaInspection {
  const refused = (path: Path, detail: string, suggestion: string): SchemaInspection => ({
    refusals: [{ path, detail, suggestion }],
    unchecked: [],
  });
  if (!patterns.allows(schema)) {
    return refused([], 'The schemas have too many or too large patterns.', 'Use fewer or shorter patterns.');
  }
  try {
    const nodes = reachable(new CompiledSchema(schema).root);
    const costs = new BranchCounter();
    const refusals = nodes.flatMap((node) => costs.refusalOf(node) ?? []).slice(0, MAX_REPORTED);
    return { refusals, unchecked: nodes.flatMap(({ unchecked }) => unchecked) };
  } catch (error) {
    if (!(error instanceof CheckLimitError) && !(error instanceof RangeError)) throw error;
    const detail = `The schema consists of more than ${MAX_SCHEMAS} schemas, or nests them too deeply.`;
    return refused([], detail, 'Use a smaller or less deeply nested schema.');
  }
}

function reachable(root: SchemaNode): SchemaNode[] {
  const found = new Set([root]);
  for (const node of found) {
    if (found.size > MAX_SCHEMAS) throw new CheckLimitError('the schema is too large');
    // Reading `checks` compiles the node, which fills its lists of applied schemas.
    if (node.checks.length >= 0) for (const next of [...node.inPlace, ...node.below]) found.add(next);
  }
  return [...found];
}

class BranchCounter {
  private readonly counts = new Map<SchemaNode, number>();
  private readonly open = new Set<SchemaNode>();

  /**
   * Returns a refusal if too many schemas apply to one value of this schema. Returns undefined if too many also apply
   * to an inner schema, because only the innermost schema is reported.
   */
  refusalOf(node: SchemaNode): SchemaRefusal | undefined {
    const own = this.count(node, 0);
    if (own <= MAX_AT_ONCE) return undefined;
    const { path } = node.place;
    if (own === Infinity) {
      if (!isWithin(node)) return undefined;
      const detail =
        'The schema refers to itself endlessly, because checking a value leads back to the same schema and the same value.';
      return { path, detail, suggestion: 'Use the reference inside `properties` or `items`, or remove it.' };
    }
    if (node.inPlace.some((inner) => this.count(inner, 0) > MAX_AT_ONCE)) return undefined;
    const detail = `Checking one value would apply more than ${MAX_AT_ONCE} schemas, because \`anyOf\`, \`oneOf\`, \`allOf\` and \`$ref\` multiply.`;
    return { path, detail, suggestion: 'Nest fewer levels of `anyOf`, `oneOf`, `allOf` and `$ref`.' };
  }

  private count(node: SchemaNode, depth: number): number {
    const known = this.counts.get(node);
    if (known !== undefined) return known;
    if (this.open.has(node)) return Infinity;
    if (depth > MAX_CHAIN) throw new CheckLimitError('the schema is nested too deeply');
    this.open.add(node);
    let count = 1;
    for (const inner of node.inPlace) count += this.count(inner, depth + 1);
    this.open.delete(node);
    this.counts.set(node, count);
    return count;
  }
}

/**
 * Whether a schema applies itself to the same value, directly or through other schemas. Its evaluation would never end.
 */
function isWithin(node: SchemaNode): boolean {
  const found = new Set<SchemaNode>(node.inPlace);
  for (const next of found) for (const inner of next.inPlace) found.add(inner);
  return found.has(node);
}
