import type { JsonObject, JsonValue } from '@app/kernel';
import type { ErrorObject } from 'ajv';
import type { KnownFiles } from './file-rule.js';
import type { Dialect } from './dialects.js';
import type { Path, SchemaPlace, SchemaResource } from './schema-document.js';
import { CheckLimitError, MAX_EVALUATION_DEPTH, type WorkBudget } from './work-budget.js';

export interface UncheckedKeyword {
  readonly path: Path;
  readonly kind: 'pattern' | 'reference' | 'form' | 'dialect';
  readonly detail: string;
}

/** The place of a value inside the checked value, as a linked list that begins with the last key. */
export interface ValuePlace {
  readonly parent: ValuePlace | null;
  readonly key: string | number;
}

/** Returns false if the value is not valid. */
export type Check = (
  value: JsonValue,
  at: ValuePlace | null,
  run: Evaluation,
  evaluated: EvaluatedMembers | null,
) => boolean;

/**
 * The properties or items of a value that at least one schema has evaluated. `unevaluatedProperties` and
 * `unevaluatedItems` apply to all other properties and items.
 */
export class EvaluatedMembers {
  readonly keys = new Set<string | number>();

  add(other: EvaluatedMembers, run: Evaluation): void {
    run.spend(other.keys.size);
    for (const key of other.keys) this.keys.add(key);
  }
}

/** No file is known: values from outside. */
export const NO_FILES: KnownFiles = { get: () => undefined };
/** Every file is known: constants of a definition, whose files are looked up when a run uses them. */
export const ANY_FILES: KnownFiles = { get: () => ({ contentType: 'application/octet-stream', bytes: 0 }) };

export class Evaluation {
  readonly errors: ErrorObject[] = [];
  /** The schema resources that are being evaluated, outermost first. Dynamic references use them. */
  readonly scope: SchemaResource[] = [];
  private depth = 0;

  /**
   * @param isQuiet if true, the evaluation records no errors and stops at the first failure
   * @param maxErrors number of recorded errors after which the evaluation becomes quiet
   */
  constructor(
    private readonly root: JsonValue,
    private readonly budget: WorkBudget,
    public isQuiet: boolean,
    private readonly maxErrors: number,
    readonly files: KnownFiles = NO_FILES,
  ) {}

  spend(steps: number): void {
    this.budget.spend(steps, this.root);
  }

  report(error: Omit<ErrorObject, 'instancePath' | 'schemaPath'>, at: ValuePlace | null): void {
    this.errors.push({ ...error, instancePath: pointerOf(at), schemaPath: `#/${error.keyword}` });
    if (this.errors.length >= this.maxErrors) this.isQuiet = true;
  }

  fits(node: SchemaNode, value: JsonValue, evaluated: EvaluatedMembers | null): boolean {
    if (this.isQuiet) return this.applies(node, value, null, evaluated);
    this.isQuiet = true;
    const fits = this.applies(node, value, null, evaluated);
    this.isQuiet = false;
    return fits;
  }

  applies(node: SchemaNode, value: JsonValue, at: ValuePlace | null, evaluated: EvaluatedMembers | null): boolean {
    const { checks, lastChecks } = node;
    this.spend(1 + checks.length);
    this.depth += 1;
    if (this.depth > MAX_EVALUATION_DEPTH) throw new CheckLimitError('its schema refers to itself too deeply');
    const { resource } = node.place;
    const entersResource = this.scope.at(-1) !== resource;
    if (entersResource) this.scope.push(resource);
    const own = lastChecks.length > 0 ? new EvaluatedMembers() : evaluated;
    let fits = true;
    for (const check of checks) {
      if (check(value, at, this, own)) continue;
      fits = false;
      if (this.isQuiet) break;
    }
    // After a failure, it is unknown which members are unevaluated, so checks of unevaluated members are skipped.
    if (fits) for (const check of lastChecks) if (!check(value, at, this, own)) fits = false;
    if (fits && evaluated && own && own !== evaluated) evaluated.add(own, this);
    if (entersResource) this.scope.pop();
    this.depth -= 1;
    return fits;
  }
}

export class SchemaNode {
  readonly inPlace: SchemaNode[] = [];
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

  /**
   * Checks that run after all other checks, because they need to know which members the other checks have evaluated.
   */
  get lastChecks(): readonly Check[] {
    return (this.compiled ??= this.compile(this)).lastChecks;
  }

  get schema(): JsonObject {
    return this.place.schema === true || this.place.schema === false ? {} : this.place.schema;
  }

  get dialect(): Dialect {
    return this.place.dialect;
  }

  skip(kind: UncheckedKeyword['kind'], path: Path, detail: string): null {
    this.unchecked.push({ kind, path: [...this.place.path, ...path], detail });
    return null;
  }

  malformed(keyword: string): null {
    const detail = `\`${keyword}\` has a value that JSON Schema ${this.dialect.name} does not allow.`;
    return this.skip('form', [keyword], detail);
  }

  /** Always returns false. */
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
