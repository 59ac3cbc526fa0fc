import type { JsonObject, JsonValue } from '@app/kernel';
import type { ErrorObject } from 'ajv';
import type { Dialect } from './dialects.js';
import type { Path, SchemaPlace, SchemaResource } from './schema-document.js';
import { CheckLimitError, MAX_EVALUATION_DEPTH, type WorkBudget } from './work-budget.js';

/** A part of a schema that is not checked, and why. */
export interface UncheckedKeyword {
  readonly path: Path;
  readonly kind: 'pattern' | 'reference' | 'form' | 'dialect';
  readonly detail: string;
}

/** Where a value is in the value that is checked, from its end. */
export interface ValuePlace {
  readonly parent: ValuePlace | null;
  readonly key: string | number;
}

/** One keyword, or several that work together, applied to a value. False when the value does not fit. */
export type Check = (
  value: JsonValue,
  at: ValuePlace | null,
  run: Evaluation,
  seen: EvaluatedMembers | null,
) => boolean;

/** Members of one object or list that some schema has evaluated: `unevaluatedProperties` and `unevaluatedItems` ask. */
export class EvaluatedMembers {
  readonly keys = new Set<string | number>();

  add(other: EvaluatedMembers, run: Evaluation): void {
    run.spend(other.keys.size);
    for (const key of other.keys) this.keys.add(key);
  }
}

/** The state of checking one value. */
export class Evaluation {
  /** In the form of ajv. */
  readonly errors: ErrorObject[] = [];
  /** Resources that evaluation is inside of, for dynamic references. */
  readonly scope: SchemaResource[] = [];
  private depth = 0;

  /**
   * @param isQuiet whether only the outcome matters: no errors are recorded and the first failure ends the check
   * @param maxErrors how many errors are recorded before the first failure ends the check
   */
  constructor(
    private readonly root: JsonValue,
    private readonly budget: WorkBudget,
    public isQuiet: boolean,
    private readonly maxErrors: number,
  ) {}

  spend(steps: number): void {
    this.budget.spend(steps, this.root);
  }

  report(error: Omit<ErrorObject, 'instancePath' | 'schemaPath'>, at: ValuePlace | null): void {
    this.errors.push({ ...error, instancePath: pointerOf(at), schemaPath: `#/${error.keyword}` });
    if (this.errors.length >= this.maxErrors) this.isQuiet = true;
  }

  /** Whether the value fits; nothing is recorded. */
  fits(node: SchemaNode, value: JsonValue, seen: EvaluatedMembers | null): boolean {
    if (this.isQuiet) return this.applies(node, value, null, seen);
    this.isQuiet = true;
    const fits = this.applies(node, value, null, seen);
    this.isQuiet = false;
    return fits;
  }

  applies(node: SchemaNode, value: JsonValue, at: ValuePlace | null, seen: EvaluatedMembers | null): boolean {
    const { checks, lastChecks } = node;
    this.spend(1 + checks.length);
    this.depth += 1;
    if (this.depth > MAX_EVALUATION_DEPTH) throw new CheckLimitError('its schema refers to itself too deeply');
    const { resource } = node.place;
    const entersResource = this.scope.at(-1) !== resource;
    if (entersResource) this.scope.push(resource);
    const own = lastChecks.length > 0 ? new EvaluatedMembers() : seen;
    let fits = true;
    for (const check of checks) {
      if (check(value, at, this, own)) continue;
      fits = false;
      if (this.isQuiet) break;
    }
    // What a failed keyword would have evaluated is not known, so these would report the consequences of its failure.
    if (fits) for (const check of lastChecks) if (!check(value, at, this, own)) fits = false;
    if (fits && seen && own && own !== seen) seen.add(own, this);
    if (entersResource) this.scope.pop();
    this.depth -= 1;
    return fits;
  }
}

/** A schema that is ready for checks. It is compiled when it is first applied. */
export class SchemaNode {
  /** Schemas applied to the same value. */
  readonly inPlace: SchemaNode[] = [];
  /** Schemas applied to members of the value. */
  readonly below: SchemaNode[] = [];
  readonly unchecked: UncheckedKeyword[] = [];
  private compiled: { readonly checks: readonly Check[]; readonly lastChecks: readonly Check[] } | undefined;

  constructor(
    readonly place: SchemaPlace,
    private readonly compile: (node: SchemaNode) => { checks: Check[]; lastChecks: Check[] },
  ) {}

  get checks(): readonly Check[] {
    return (this.compiled ??= this.compile(this)).checks;
  }

  /** Checks that need to know what all others have evaluated. */
  get lastChecks(): readonly Check[] {
    return (this.compiled ??= this.compile(this)).lastChecks;
  }

  get schema(): JsonObject {
    return this.place.schema === true || this.place.schema === false ? {} : this.place.schema;
  }

  get dialect(): Dialect {
    return this.place.dialect;
  }

  /** Records that a keyword is not checked; always null, which stands for no check. */
  skip(kind: UncheckedKeyword['kind'], path: Path, detail: string): null {
    this.unchecked.push({ kind, path: [...this.place.path, ...path], detail });
    return null;
  }

  malformed(keyword: string): null {
    const detail = `\`${keyword}\` does not have the form that JSON Schema ${this.dialect.name} gives it.`;
    return this.skip('form', [keyword], detail);
  }

  /** Reports a failure; always false. */
  fail(
    keyword: string,
    value: JsonValue,
    at: ValuePlace | null,
    run: Evaluation,
    params: object,
    message: string,
  ): false {
    if (!run.isQuiet) {
      const { schema } = this;
      run.report({ keyword, params, message, data: value, schema: schema[keyword], parentSchema: schema }, at);
    }
    return false;
  }
}

function pointerOf(at: ValuePlace | null): string {
  const parts: string[] = [];
  for (let place = at; place !== null; place = place.parent) {
    parts.push(`/${String(place.key).replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
  return parts.reverse().join('');
}
