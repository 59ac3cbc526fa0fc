import { canonicalJson, type ErrorPlace, type JsonObject, type JsonValue } from '@app/kernel';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { safeRegex } from './expressions/safe-regex.js';
import { withoutExtensions } from './schema-dialect.js';
import { wordErrors } from './schema-words.js';
import type { SchemaValidator } from './schema-validator.js';

const MAX_REPORTED = 50;
/** A larger value is told its first mistake only: collecting all of them could fill the memory. */
const MAX_THOROUGH_CHARACTERS = 64 * 1024;

const addFormats = addFormatsModule.default;

/**
 * ajv for schemas that strangers write: regular expressions and `uniqueItems` take linear time, nothing is fetched and
 * unknown keywords and formats are ignored.
 */
export function createAjv(options: { readonly allErrors: boolean }): Ajv2020 {
  // ajv keeps compiled patterns by their toString(), which for these is the pattern itself.
  const regExp = Object.assign((pattern: string) => safeRegex(pattern), { code: 'safeRegex' });
  const ajv = new Ajv2020({
    allErrors: options.allErrors,
    strict: false,
    // `constructor` is a property where the data says so, not where every object has one.
    ownProperties: true,
    logger: false,
    verbose: true,
    code: { regExp },
  });
  // Words of its own, which JSON Schema 2020-12 ignores: these throw or compare.
  addFormats(ajv, { keywords: false });
  ajv.removeKeyword('id');
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    validate: isUniqueOrAllowed,
  });
  return ajv;
}

function isUniqueOrAllowed(mustBeUnique: boolean, items: JsonValue[]): boolean {
  return !mustBeUnique || new Set(items.map(canonicalJson)).size === items.length;
}

let quickAjv: Ajv2020 | undefined;
let thoroughAjv: Ajv2020 | undefined;

/** A schema that passed for one and cannot be compiled: those of definitions are looked at before, those of servers are not. */
class UnusableSchema extends Error {}

function compile(ajv: Ajv2020, schema: JsonObject): ValidateFunction {
  const plain = withoutExtensions(schema);
  try {
    return ajv.compile(plain);
  } catch (error) {
    throw new UnusableSchema('The schema does not compile.', { cause: error });
  } finally {
    // ajv would keep every schema it ever saw.
    ajv.removeSchema(plain);
  }
}

/** A validator for a schema of a definition. Compiling waits for the first use: a worker uses few of the schemas. */
export function schemaValidator(schema: JsonObject): SchemaValidator {
  let quick: ValidateFunction | undefined;
  let thorough: ValidateFunction | undefined;
  const errorsOf = (value: JsonValue): ErrorPlace[] => {
    quick ??= compile((quickAjv ??= createAjv({ allErrors: false })), schema);
    if (quick(value)) return [];
    if (JSON.stringify(value).length > MAX_THOROUGH_CHARACTERS) return toPlaces(quick, value);
    thorough ??= compile((thoroughAjv ??= createAjv({ allErrors: true })), schema);
    thorough(value);
    return toPlaces(thorough, value);
  };
  return {
    schema,
    validate: (value) => {
      try {
        return errorsOf(value);
      } catch (error) {
        if (error instanceof UnusableSchema)
          return [{ pointer: '', detail: 'This cannot be checked: its schema is not JSON Schema 2020-12.' }];
        if (!(error instanceof RangeError)) throw error;
        return [{ pointer: '', detail: 'This cannot be checked: its schema refers to itself without end.' }];
      }
    },
  };
}

function toPlaces(validate: ValidateFunction, value: JsonValue): ErrorPlace[] {
  return wordErrors(validate.errors ?? [], value)
    .slice(0, MAX_REPORTED)
    .map(({ pointer, detail, suggestion }) => ({ pointer, detail, ...(suggestion ? { suggestion } : {}) }));
}

let metaAjv: Ajv2020 | undefined;

/** Where a schema does not have the form that JSON Schema 2020-12 gives it: pointers into it. */
export function malformedKeywords(schema: JsonObject): string[] {
  metaAjv ??= createAjv({ allErrors: false });
  if (metaAjv.validateSchema(schema) === true) return [];
  return [...new Set((metaAjv.errors ?? []).map((error) => error.instancePath))].slice(0, 5);
}
