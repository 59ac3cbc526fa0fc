import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { Path, Problems } from './problems.js';
import { isWholeExpression } from '@app/cel';
import {
  appliedTo,
  CheckLimitError,
  CompiledSchema,
  membersOf,
  schemaErrorMessages,
  type WorkBudget,
} from '@app/json-schema';
import type { ToolOperation } from '../model/compiled-tool.js';

const MAX_REPORTED = 5;

interface Misfit {
  readonly path: Path;
  readonly detail: string;
  readonly suggestion?: string | undefined;
}

/**
 * Reports constants that cannot match the request schema of the operation. The values of expressions in the request are
 * unknown. Therefore only keywords that apply to every request are used: `properties`, `items`, `$ref` and `allOf`.
 */
export function checkRequestConstants(
  request: JsonObject,
  path: Path,
  operation: ToolOperation,
  { problems, budget }: { problems: Problems; budget: WorkBudget },
): void {
  const schema = operation.request?.schema;
  if (!schema) return;
  try {
    const misfits = new ConstantCheck(schema, budget).misfits([schema], request, path);
    for (const { path: at, detail, suggestion } of misfits.slice(0, MAX_REPORTED)) {
      const what = `This value does not match the request schema of \`${operation.fullName}\`: ${detail}`;
      problems.error(at, what, suggestion);
    }
  } catch (error) {
    // If the check exceeds the work budget or the stack, nothing is reported here. The request is checked when the call
    // is made.
    if (!(error instanceof CheckLimitError) && !(error instanceof RangeError)) throw error;
  }
}

class ConstantCheck {
  private readonly compiled: CompiledSchema;

  constructor(
    private readonly root: JsonObject,
    private readonly budget: WorkBudget,
  ) {
    this.compiled = new CompiledSchema(root);
  }

  misfits(own: readonly JsonObject[], value: JsonValue, path: Path): Misfit[] {
    if (!hasExpression(value)) return own.flatMap((schema) => this.errors(schema, value, path)).slice(0, 1);
    const schemas = appliedTo(this.root, own);
    if (typeof value === 'string') return isWholeExpression(value) ? [] : wrongType(schemas, 'string', path);
    const wrong = wrongType(schemas, Array.isArray(value) ? 'array' : 'object', path);
    if (wrong.length > 0) return wrong;
    if (Array.isArray(value)) return this.itemMisfits(schemas, value, path);
    if (!isJsonObject(value)) return [];
    const members = membersOf(this.root, schemas);
    return Object.entries(value).flatMap(([name, member]) =>
      this.misfits(members.get(name) ?? [], member, [...path, name]),
    );
  }

  private itemMisfits(schemas: readonly JsonObject[], list: JsonValue[], path: Path): Misfit[] {
    const items = schemas.flatMap((schema) =>
      isJsonObject(schema.items) && !('prefixItems' in schema) ? [schema.items] : [],
    );
    return list.flatMap((item, index) => this.misfits(items, item, [...path, index]));
  }

  private errors(schema: JsonObject, value: JsonValue, path: Path): Misfit[] {
    const messages = schemaErrorMessages(this.compiled.errorsAt(schema, value, this.budget, 1), value);
    return messages.map(({ path: inner, detail, suggestion }) => ({ path: [...path, ...inner], detail, suggestion }));
  }
}

function hasExpression(value: JsonValue): boolean {
  if (typeof value === 'string') return value.includes('${{');
  if (Array.isArray(value)) return value.some(hasExpression);
  return isJsonObject(value) && Object.values(value).some(hasExpression);
}

function wrongType(schemas: readonly JsonObject[], given: 'string' | 'array' | 'object', path: Path): Misfit[] {
  const type = schemas.map((schema) => schema.type).find((allowed) => allowed !== undefined && !allows(allowed, given));
  if (type === undefined) return [];
  const names = (Array.isArray(type) ? type : [type]).map((name) => JSON.stringify(name)).join(' or ');
  const detail = `The schema requires ${names}, but the value is always ${given === 'string' ? 'a' : 'an'} ${given}.`;
  const suggestion = given === 'string' ? 'Write only the expression, without text around it.' : undefined;
  return [{ path, detail, suggestion }];
}

function allows(type: JsonValue, given: string): boolean {
  return Array.isArray(type) ? type.includes(given) : type === given;
}
