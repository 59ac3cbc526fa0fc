import { schemaValidator } from '@app/definition';
import { DomainError, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/**
 * Checks the answer to a question against its form. Returns the answer with the defaults of the form.
 * @throws DomainError `input_invalid`, with pointers below `/answer`
 */
export function checkedAnswer(form: JsonObject, answer: JsonValue): JsonObject {
  const complete = withDefaults(form, answer);
  const misfits = schemaValidator({ type: 'object', ...form }).validate(complete);
  const [first] = misfits;
  if (!first && isJsonObject(complete)) return complete;
  const errors = misfits.map((misfit) => ({ ...misfit, pointer: `/answer${misfit.pointer}` }));
  const detail = `The answer does not match the form: ${first?.detail ?? 'it must be an object.'}`;
  throw new DomainError('input_invalid', detail, { errors });
}

/** Adds the defaults of missing members, at any depth of `properties` and `items`. */
function withDefaults(schema: JsonValue | undefined, value: JsonValue): JsonValue {
  if (!isJsonObject(schema)) return value;
  if (Array.isArray(value)) return value.map((item) => withDefaults(schema.items, item));
  const { properties } = schema;
  if (!isJsonObject(value) || !isJsonObject(properties)) return value;
  const complete: JsonObject = { ...value };
  for (const [name, property] of Object.entries(properties)) {
    const byDefault = isJsonObject(property) ? property.default : undefined;
    const given = Object.hasOwn(value, name) ? value[name] : byDefault;
    if (given !== undefined) complete[name] = withDefaults(property, given);
  }
  return complete;
}
