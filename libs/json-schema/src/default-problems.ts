import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { CompiledSchema } from './validation/compiled-schema.js';
import { CheckLimitError, WorkBudget } from './validation/work-budget.js';
import { appliedTo, Defaults, defaultOf, membersOf } from './schema-defaults.js';
import { schemaErrorMessages } from './schema-error-messages.js';
import type { SchemaProblem } from './schema-problems.js';

const MAX_REPORTED = 5;

/**
 * Returns the defaults that do not match their schema. The schema itself must be valid. The paths are paths inside the
 * schema.
 */
export function defaultProblems(schema: JsonObject): SchemaProblem[] {
  if (!JSON.stringify(schema).includes('"default"')) return [];
  return new DefaultCheck(schema).problems().slice(0, MAX_REPORTED);
}

class DefaultCheck {
  private readonly compiled: CompiledSchema;
  private readonly budget = new WorkBudget();
  private readonly seen = new Set<JsonObject>();
  private readonly refused = new Set<JsonObject>();

  constructor(private readonly root: JsonObject) {
    this.compiled = new CompiledSchema(root);
  }

  problems(): SchemaProblem[] {
    return this.below(appliedTo(this.root, [this.root]));
  }

  /** `schemas` are all schemas that apply to the value. */
  private below(schemas: readonly JsonObject[]): SchemaProblem[] {
    const fresh = schemas.filter((schema) => !this.seen.has(schema));
    if (fresh.length === 0) return [];
    for (const schema of fresh) this.seen.add(schema);
    const items = schemas.flatMap((schema) => (isJsonObject(schema.items) ? [schema.items] : []));
    const members = [...membersOf(this.root, schemas).values(), ...items.map((one) => appliedTo(this.root, [one]))];
    return members.flatMap((applied) => [...this.misfits(applied), ...this.below(applied)]);
  }

  private misfits(schemas: readonly JsonObject[]): SchemaProblem[] {
    const given = defaultOf(schemas);
    const owner = schemas.find((schema) => Object.hasOwn(schema, 'default'));
    if (given === undefined || !owner || this.refused.has(owner)) return [];
    const problems = this.problemsOf(schemas, given, owner);
    if (problems.length > 0) this.refused.add(owner);
    return problems;
  }

  private problemsOf(schemas: readonly JsonObject[], given: JsonValue, owner: JsonObject): SchemaProblem[] {
    const path = [...this.compiled.document.placeOf(owner, [], this.compiled.document.root).path, 'default'];
    try {
      const filled = new Defaults(this.root, given, this.budget).fill(schemas, given, 0);
      return schemas.flatMap((schema) => this.errors(schema, filled, path)).slice(0, 1);
    } catch (error) {
      if (!(error instanceof CheckLimitError)) throw error;
      return [{ path, detail: `The default cannot be applied: ${error.message}.`, suggestion: 'Nest fewer defaults.' }];
    }
  }

  private errors(schema: JsonObject, value: JsonValue, path: readonly (string | number)[]): SchemaProblem[] {
    return schemaErrorMessages(this.compiled.errorsAt(schema, value, this.budget, 1), value).map(
      ({ pointer, detail, suggestion }) => ({
        path: [...path],
        detail: `This default does not match its schema${pointer === '' ? '' : ` at ${pointer}`}: ${detail}`,
        ...(suggestion ? { suggestion } : {}),
      }),
    );
  }
}
