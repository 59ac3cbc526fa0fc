import { schemaValidator } from '@app/definition';
import { DomainError, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/**
 * Checks the answer to a question against the form of the question. Returns the answer with the defaults of the form.
 * @throws DomainError `input_invalid`, with pointers below `/answer`
 */
export function checkedAnswer(form: JsonObject, answer: JsonValue): JsonObject {
  const { value, errors: misfits } = schemaValidator({ type: 'object', ...form }).complete(answer);
  const [first] = misfits;
  if (!first && isJsonObject(value)) return value;
  const errors = misfits.map((misfit) => ({ ...misfit, pointer: `/answer${misfit.pointer}` }));
  const detail = `The answer does not match the form: ${first?.detail ?? 'it must be an object.'}`;
  throw new DomainError('input_invalid', detail, { errors });
}
