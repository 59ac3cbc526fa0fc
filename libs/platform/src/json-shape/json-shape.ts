import { closest, DomainError, type ErrorPlace, type JsonObject, type JsonValue } from '@app/kernel';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';

export interface JsonShape<T> {
  /**
   * `at` is the JSON Pointer of the value in the request.
   * @throws DomainError `invalid_request`, which lists each field that is unknown or wrong
   */
  read(value: JsonValue, at: string): T;
}

/** `{name}` is replaced by the name of the field. */
export interface PatternMismatch {
  detail: string;
  suggestion: string;
}

/**
 * `hints` in the schema of an object contains suggestions for unknown fields, by field name. `mismatch` in the schema
 * of a string is the {@link PatternMismatch} that is reported instead of the pattern.
 */
const ajv = new Ajv2020({
  allErrors: true,
  useDefaults: true,
  strict: true,
  allowUnionTypes: true,
  verbose: true,
  // The schemas are part of the code, and to compile the schema of schemas is a fifth of a second of each start.
  meta: false,
  validateSchema: false,
})
  .addKeyword('hints')
  .addKeyword('mismatch');

/** It is compiled at the first use. */
export function jsonShape<T>(schema: JsonObject): JsonShape<T> {
  let validate: ValidateFunction<T> | undefined;
  return {
    read(value, at) {
      validate ??= ajv.compile<T>(schema);
      const copy: unknown = structuredClone(value);
      if (validate(copy)) return copy;
      throw invalidRequest((validate.errors ?? []).map((error) => placeOf(error, at)));
    },
  };
}

export function invalidRequest(errors: readonly ErrorPlace[]): DomainError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see errors)` : '';
  const suggestion = first?.suggestion === undefined ? '' : ` ${first.suggestion}`;
  return new DomainError('invalid_request', `${first?.detail ?? ''}${suggestion}${more}`, { errors });
}

function placeOf({ keyword, instancePath, params, parentSchema, message }: ErrorObject, at: string): ErrorPlace {
  const place = `${at}${instancePath}`;
  const name = nameOf(instancePath);
  switch (keyword) {
    case 'additionalProperties': {
      const unknown = String(params.additionalProperty);
      const hint = ((parentSchema?.hints ?? {}) as Partial<Record<string, string>>)[unknown];
      const near = closest(unknown, Object.keys((parentSchema?.properties ?? {}) as object));
      const suggestion = hint ?? (near === undefined ? undefined : `Did you mean \`${near}\`?`);
      return {
        pointer: `${place}/${unknown}`,
        detail: `There is no field ${JSON.stringify(unknown.slice(0, 64))}.`,
        ...(suggestion !== undefined && { suggestion }),
      };
    }
    case 'required':
      return {
        pointer: `${place}/${String(params.missingProperty)}`,
        detail: `${String(params.missingProperty)} is missing.`,
        ...choicesOf(parentSchema, String(params.missingProperty)),
      };
    case 'pattern':
      return {
        pointer: place,
        ...(mismatchOf(parentSchema, name) ?? { detail: `${name} ${message ?? 'is not valid'}.` }),
      };
    case 'type':
      return { pointer: place, detail: `${name} must be ${typesIn(params.type)}.` };
    case 'enum':
      return { pointer: place, detail: `${name} must be one of ${(params.allowedValues as unknown[]).join(', ')}.` };
    default:
      return { pointer: place, detail: `${name} ${message ?? 'is not valid'}.` };
  }
}

function choicesOf(schema: object | undefined, name: string): { suggestion?: string } {
  const { properties } = (schema ?? {}) as { properties?: Partial<Record<string, { enum?: unknown[] }>> };
  const choices = properties?.[name]?.enum;
  return choices ? { suggestion: `Set it to one of ${choices.join(', ')}.` } : {};
}

function mismatchOf(schema: object | undefined, name: string): PatternMismatch | undefined {
  const { mismatch } = (schema ?? {}) as { mismatch?: PatternMismatch };
  return (
    mismatch && {
      detail: mismatch.detail.replaceAll('{name}', name),
      suggestion: mismatch.suggestion.replaceAll('{name}', name),
    }
  );
}

function typesIn(types: unknown): string {
  const names: Record<string, string> = {
    array: 'a list',
    object: 'an object',
    string: 'a text',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    null: 'null',
  };
  return [types].flat().map((type) => names[String(type)] ?? String(type)).join(' or '); // prettier-ignore
}

function nameOf(instancePath: string): string {
  const [list, last] = instancePath.split('/').slice(-2);
  if (!last) return 'The value';
  return list && /^\d+$/.test(last) ? `${list}[${last}]` : last;
}
