import { isJsonObject, type JsonObject } from '@app/kernel';

/** RFC 7396 without its deletions: lists and single values, null included, take the places of the ones before. */
export function mergedJson(base: JsonObject, change: JsonObject): JsonObject {
  const result: JsonObject = { ...base };
  for (const [key, value] of Object.entries(change)) {
    const before = result[key] ?? null;
    result[key] = isJsonObject(before) && isJsonObject(value) ? mergedJson(before, value) : value;
  }
  return result;
}
