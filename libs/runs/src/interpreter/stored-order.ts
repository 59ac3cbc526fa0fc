import { isJsonObject, type JsonValue } from '@app/kernel';

/** The value then has the same text before it is stored and after another worker reads it. */
export function inStoredOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inStoredOrder);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => ({ key, bytes: Buffer.from(key), member }));
  members.sort((one, other) => one.bytes.length - other.bytes.length || Buffer.compare(one.bytes, other.bytes));
  return Object.fromEntries(members.map(({ key, member }) => [key, inStoredOrder(member)]));
}
