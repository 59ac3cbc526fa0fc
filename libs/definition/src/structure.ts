import { jsonPointer, type JsonObject } from '@app/kernel';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { createAjv } from './json-schema/ajv.js';
import { AGENT_V1_SCHEMA } from './schema/agent-v1.schema.js';
import type { SourceDocument } from './source/source-document.js';
import { schemaErrorMessages, type SchemaErrorMessage } from './json-schema/schema-error-messages.js';

let validate: ValidateFunction | undefined;

/** Where a definition does not have the form of `agent/v1`, in the order of `offsetOf`; empty where it has. */
export function structureErrors(definition: JsonObject, offsetOf: SourceDocument['offsetOf']): SchemaErrorMessage[] {
  validate ??= createAjv({ allErrors: true }).compile(AGENT_V1_SCHEMA);
  if (validate(definition)) return [];
  const errors = schemaErrorMessages(validate.errors ?? [], definition, { offsetOf });
  const unclear = new Set(
    errors
      .filter((error) => error.keyword === 'oneOf')
      .map((error) => (error.target === 'key' ? jsonPointer(error.path.slice(0, -1)) : error.pointer)),
  );
  return errors.filter((error) => !isConsequence(error, unclear));
}

/** A step of two kinds breaks the rules of both: what is said about its members then follows from that alone. */
function isConsequence(error: SchemaErrorMessage, unclear: ReadonlySet<string>): boolean {
  if (error.keyword === 'required') return unclear.has(error.pointer);
  return error.keyword === 'additionalProperties' && unclear.has(jsonPointer(error.path.slice(0, -1)));
}
