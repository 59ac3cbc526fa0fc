import { jsonPointer, type JsonObject } from '@app/kernel';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { createAjv } from './json-schema/ajv.js';
import { AGENT_V1_SCHEMA } from './schema/agent-v1.schema.js';
import type { SourceDocument } from './source/source-document.js';
import { schemaErrorMessages, type SchemaErrorMessage } from './json-schema/schema-error-messages.js';

let validate: ValidateFunction | undefined;

/** The errors of a definition against the schema of `agent/v1`, sorted by `offsetOf`; empty if it fits. */
export function structureErrors(definition: JsonObject, offsetOf: SourceDocument['offsetOf']): SchemaErrorMessage[] {
  validate ??= createAjv({ allErrors: true, compilesFast: true }).compile(AGENT_V1_SCHEMA);
  if (validate(definition)) return [];
  const errors = schemaErrorMessages(validate.errors ?? [], definition, { offsetOf });
  const ambiguous = new Set(
    errors
      .filter((error) => error.keyword === 'oneOf')
      .map((error) => (error.target === 'key' ? jsonPointer(error.path.slice(0, -1)) : error.pointer)),
  );
  return errors.filter((error) => !isConsequence(error, ambiguous));
}

/** A step of two kinds breaks the rules of both kinds, so errors about its members only follow from that. */
function isConsequence(error: SchemaErrorMessage, ambiguous: ReadonlySet<string>): boolean {
  if (error.keyword === 'required') return ambiguous.has(error.pointer);
  return error.keyword === 'additionalProperties' && ambiguous.has(jsonPointer(error.path.slice(0, -1)));
}
