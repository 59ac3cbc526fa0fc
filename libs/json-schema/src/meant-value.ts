import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

interface Case {
  readonly value: string;
  readonly required: readonly JsonValue[];
  readonly allowed: ReadonlySet<string> | null;
}

/**
 * Returns the value of `property` that the other keys of `data` show, for example `stdio` if there is a `command`.
 * Returns undefined if `schema` does not select by this property, or if the keys fit no case or several.
 */
export function meantValue(schema: JsonObject, property: string, data: unknown): string | undefined {
  if (!isJsonObject(data)) return undefined;
  const keys = Object.keys(data).filter((key) => !key.startsWith('x-'));
  const cases = casesOf(schema, property);
  const [fitting, ...others] = cases.filter(
    ({ required, allowed }) =>
      required.every((key) => key === property || keys.some((present) => present === key)) &&
      keys.every((key) => allowed?.has(key) ?? true),
  );
  if (!fitting || others.length > 0) return undefined;
  const isShared = (key: JsonValue): boolean => cases.every(({ required }) => required.includes(key));
  return fitting.required.every((key) => key === property || isShared(key)) ? undefined : fitting.value;
}

function casesOf({ allOf }: JsonObject, property: string): Case[] {
  return (Array.isArray(allOf) ? allOf : []).flatMap((one) => {
    const { if: condition, then: schema } = isJsonObject(one) ? one : {};
    const tested =
      isJsonObject(condition) && isJsonObject(condition.properties) ? condition.properties[property] : null;
    const value = isJsonObject(tested) ? tested.const : undefined;
    if (typeof value !== 'string' || !isJsonObject(schema)) return [];
    const { required, properties } = schema;
    const allowed = isJsonObject(properties) ? new Set(Object.keys(properties)) : null;
    return [{ value, required: Array.isArray(required) ? required : [], allowed }];
  });
}
