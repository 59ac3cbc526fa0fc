import { isJsonObject, type JsonValue } from '@app/kernel';

/** The value at a JSON Pointer (RFC 6901); undefined if there is none. */
export function valueAt(root: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(name) ? value[Number(name)] : undefined;
    else if (isJsonObject(value) && Object.hasOwn(value, name)) value = value[name];
    else return undefined;
  }
  return value;
}
