import { type HttpParameter, scalarText } from '@app/definition';
import { isJsonObject, type JsonValue } from '@app/kernel';

/** Serialises the values of parameters by `style` and `explode` (OpenAPI 3.1.1, section 4.8.12.3, and RFC 6570). */
type Style = Pick<HttpParameter, 'name' | 'style' | 'explode' | 'allowReserved'>;

export function queryPairs(parameter: Style, value: JsonValue): string[] {
  const { name, style, explode } = parameter;
  const key = encoded(name);
  const encode = encoderOf(parameter);
  if (style === 'json') return [`${key}=${encode(JSON.stringify(value))}`];
  if (style === 'deepObject') return deepPairs(key, value, encode);
  const separator = { spaceDelimited: '%20', pipeDelimited: '%7C' }[style as string] ?? ',';
  if (Array.isArray(value)) {
    const items = itemsOf(value, encode);
    return explode ? items.map((item) => `${key}=${item}`) : [`${key}=${items.join(separator)}`];
  }
  if (!isJsonObject(value)) return [`${key}=${encode(scalarText(value))}`];
  const members = membersOf(value, encode);
  if (explode) return members.map(([member, text]) => `${member}=${text}`);
  return [`${key}=${members.flat().join(separator)}`];
}

/** It is empty if the value is an empty list or object. */
export function pathText(parameter: Style, value: JsonValue): string {
  const encode = encoderOf(parameter);
  if (parameter.style === 'json') return encode(JSON.stringify(value));
  const key = encoded(parameter.name);
  if (Array.isArray(value)) {
    const items = itemsOf(value, encode);
    return inPath(
      parameter,
      items,
      items,
      items.map((item) => `${key}=${item}`),
    );
  }
  if (!isJsonObject(value)) {
    const text = encode(scalarText(value));
    return inPath(parameter, [text], [text], [text === '' ? key : `${key}=${text}`]);
  }
  const members = membersOf(value, encode);
  const pairs = members.map((pair) => pair.join('='));
  return inPath(parameter, members.flat(), pairs, pairs);
}

/**
 * @param items the parts without `explode`
 * @param exploded the parts with `explode`
 * @param named the parts of `matrix` with `explode`, which contain the name of the parameter or of the member
 */
function inPath(
  { name, style, explode }: Style,
  items: readonly string[],
  exploded: readonly string[],
  named: readonly string[],
): string {
  if (items.length === 0) return '';
  if (style === 'label') return explode ? `.${exploded.join('.')}` : `.${items.join(',')}`;
  if (style === 'matrix') return explode ? `;${named.join(';')}` : `;${encoded(name)}=${items.join(',')}`;
  return (explode ? exploded : items).join(',');
}

export function headerText({ style, explode }: Style, value: JsonValue): string {
  if (style === 'json') return JSON.stringify(value);
  if (Array.isArray(value)) return itemsOf(value, asIs).join(',');
  if (!isJsonObject(value)) return scalarText(value);
  const members = membersOf(value, asIs);
  return explode ? members.map((pair) => pair.join('=')).join(',') : members.flat().join(',');
}

/** Nested lists have indices, as Stripe expects them: `items[0][price]`. */
function deepPairs(key: string, value: JsonValue, encode: Encode): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => deepPairs(`${key}%5B${index}%5D`, item, encode));
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([name, member]) => deepPairs(`${key}%5B${encoded(name)}%5D`, member, encode));
  return value === null ? [] : [`${key}=${encode(scalarText(value))}`];
}

type Encode = (text: string) => string;

const encoded: Encode = (text) => encodeURIComponent(text.toWellFormed());
const asIs: Encode = (text) => text;

/**
 * With `allowReserved`, reserved characters stay as they are (RFC 6570, section 3.2.3), except those that would end the
 * value in a query.
 */
function encoderOf({ allowReserved = false }: Style): Encode {
  if (!allowReserved) return encoded;
  return (text) =>
    encodeURI(text.toWellFormed()).replace(/[#&+]/g, encodeURIComponent).replaceAll('%5B', '[').replaceAll('%5D', ']');
}

function itemsOf(list: readonly JsonValue[], encode: Encode): string[] {
  return list.filter((item) => item !== null).map((item) => encode(scalarText(item)));
}

function membersOf(object: Readonly<Record<string, JsonValue>>, encode: Encode): [name: string, value: string][] {
  return Object.entries(object)
    .filter(([, member]) => member !== null)
    .map(([name, member]) => [encode(name), encode(scalarText(member))]);
}
