import { isJsonObject, type JsonValue } from '@app/kernel';

/** An operation that a definition includes. */
export interface IncludedOperation {
  /** The id in the document or at the server, or `METHOD /path` in a document. */
  readonly id: string;
  readonly name: string;
}

const MAX_NAME_LENGTH = 128;

/** @param entry an item of `include`: an id, or `{id, as}` */
export function includedOperation(entry: JsonValue): IncludedOperation {
  const { id, as: alias } = isJsonObject(entry) ? entry : { id: entry };
  const text = typeof id === 'string' ? id : '';
  return { id: text, name: typeof alias === 'string' ? alias : operationNameOf(text) };
}

/**
 * Derives a name from an id: characters that a name cannot have become `_`. For example, `repos/get` becomes
 * `repos_get`, and `GET /pets/{id}` becomes `GET_pets_id`.
 */
function operationNameOf(id: string): string {
  const text = id.replace(/[^A-Za-z0-9_.-]+/g, '_');
  const name = text === id ? text : text.replace(/^_+|_+$/g, '');
  return (/^[A-Za-z]/.test(name) ? name : `op_${name}`).slice(0, MAX_NAME_LENGTH);
}
