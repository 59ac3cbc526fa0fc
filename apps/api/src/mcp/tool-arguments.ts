import { schemaValidator } from '@app/json-schema';
import { DomainError, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/** Returns the arguments of a call. @throws DomainError `input_invalid` with pointers into the arguments */
export type ArgumentsCheck = (given: JsonValue) => JsonObject;

export function argumentsCheck(inputSchema: JsonObject): ArgumentsCheck {
  const schema = schemaValidator(inputSchema);
  return (given) => {
    const errors = schema.validate(given);
    if (errors.length === 0 && isJsonObject(given)) return given;
    const [first = { detail: 'They must be an object.' }] = errors;
    throw new DomainError('input_invalid', `The arguments are not valid: ${first.detail}`, { errors });
  };
}
