import { closest, DomainError, type ErrorPlace, type JsonObject, type JsonValue } from '@app/kernel';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';

/** What a free-form part of a request has to look like, written as a JSON Schema; `default`s are filled in. */
export interface JsonShape<T> {
  /**
   * A completed copy of the value. `at`: JSON Pointer of the value in the request.
   * @throws DomainError `invalid_request` with one place per field that is unknown or wrong
   */
  read(value: JsonValue, at: string): T;
}

const ajv = new Ajv2020({ allErrors: true, useDefaults: true, strict: true, allowUnionTypes: true, verbose: true });

/** `T` says in TypeScript what the schema says. The schema is compiled when it is first used. */
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

/** The refusal of a request for what stands at these places. */
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
      const near = closest(unknown, Object.keys((parentSchema?.properties ?? {}) as object));
      return {
        pointer: `${place}/${unknown}`,
        detail: `There is no field ${JSON.stringify(unknown.slice(0, 64))}.`,
        ...(near !== undefined && { suggestion: `Did you mean \`${near}\`?` }),
      };
    }
    case 'required':
      return {
        pointer: `${place}/${String(params.missingProperty)}`,
        detail: `${String(params.missingProperty)} is missing.`,
      };
    case 'enum':
      return { pointer: place, detail: `${name} must be one of ${(params.allowedValues as unknown[]).join(', ')}.` };
    default:
      return { pointer: place, detail: `${name} ${message ?? 'is not valid'}.` };
  }
}

/** The field, or which element of it. */
function nameOf(instancePath: string): string {
  const [list, last] = instancePath.split('/').slice(-2);
  if (!last) return 'The value';
  return list && /^\d+$/.test(last) ? `${list}[${last}]` : last;
}
