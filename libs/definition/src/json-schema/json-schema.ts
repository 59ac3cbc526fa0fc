import { canonicalJson, type ErrorPlace, type JsonObject, type JsonValue } from '@app/kernel';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { safeRegex } from '../expressions/safe-regex.js';
import type { SchemaValidator } from './schema-validator.js';
import { wordErrors } from './schema-words.js';
import { CompiledSchema } from '../validation/compiled-schema.js';
import { CheckGivenUp, WorkBudget } from '../validation/work-budget.js';

const MAX_REPORTED = 50;

const addFormats = addFormatsModule.default;

/**
 * ajv for schemas of this product: the form of definitions, and the form of the JSON Schemas inside of them. The values come
 * from outside: regular expressions and `uniqueItems` take linear time.
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
  addFormats(ajv, { keywords: false });
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

/**
 * A validator for a schema that strangers wrote. Whatever schema and value are, a check ends within a bounded number of
 * steps. Compiling waits for the first use: a worker uses few of the schemas.
 */
export function schemaValidator(schema: JsonObject): SchemaValidator {
  let compiled: CompiledSchema | undefined;
  return {
    schema,
    validate: (value, budget = new WorkBudget()) => {
      try {
        compiled ??= new CompiledSchema(schema);
        const errors = compiled.errors(value, budget, MAX_REPORTED);
        return errors.length === 0 ? [] : toPlaces(errors, value);
      } catch (error) {
        return [{ pointer: '', ...whyGivenUp(error) }];
      }
    },
  };
}

function whyGivenUp(error: unknown): { detail: string; suggestion: string } {
  // The stack is as limited as the budget; values and schemas that are nested too deeply exhaust it first.
  const isStack = error instanceof RangeError;
  if (!isStack && !(error instanceof CheckGivenUp)) throw error;
  const reason = isStack ? 'it or its schema is nested too deeply' : error.message;
  return {
    detail: `This cannot be checked: ${reason}.`,
    suggestion: 'Use a smaller value, or a schema with fewer alternatives, patterns and references.',
  };
}

function toPlaces(errors: Parameters<typeof wordErrors>[0], value: JsonValue): ErrorPlace[] {
  return wordErrors(errors, value)
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
