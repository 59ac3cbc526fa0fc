import type { DescribedBody, HttpCall, HttpParameter } from '@app/definition';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { isFileValue } from './file-value.js';
import { type BodyContent, encodeBody, type EncodedBody, NO_BODY } from './http-body.js';
import { headerText, queryPairs } from './parameter-style.js';

export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: BodyContent;
}

const JSON_BODY: DescribedBody = { kind: 'json', contentType: 'application/json', isRequired: false };
/** A property that the document does not describe becomes a field of the body. */
const UNDESCRIBED = { style: 'form', explode: true } as const;

/**
 * Properties that the document lists as parameters go to the query, a header, a cookie or the body. `url` already
 * contains the path parameters.
 * @throws UnusableRequest if the body cannot be encoded
 */
export function describedRequest(
  { method, parameters, body = JSON_BODY }: HttpCall,
  url: URL,
  headers: Record<string, string>,
  rest: Map<string, JsonValue>,
): HttpRequest {
  const sent = { ...headers };
  const cookies: string[] = [];
  const query: string[] = [];
  const fields: [parameter: Field, value: JsonValue][] = [];
  let whole: JsonValue | undefined;
  for (const parameter of parameters) {
    const { property, name } = parameter;
    const value = rest.get(property);
    rest.delete(property);
    if (value === undefined || isOmitted(parameter, value)) continue;
    switch (parameter.in) {
      case 'query':
        query.push(...queryPairs(parameter, value));
        break;
      case 'header':
        sent[name.toLowerCase()] ??= headerText(parameter, value);
        break;
      case 'cookie':
        cookies.push(...queryPairs(parameter, value));
        break;
      case 'body':
        if (name === '') whole = value;
        else fields.push([parameter, value]);
        break;
      case 'path':
    }
  }
  for (const [name, value] of rest) fields.push([{ name, ...UNDESCRIBED }, value]);
  appendPairs(url, query);
  if (cookies.length > 0) sent.cookie = cookies.join('; ');
  const isSent = whole !== undefined || fields.length > 0 || body.isRequired;
  return withBody({ method, url: url.href, headers: sent }, isSent ? encodedBody(body, whole, fields) : NO_BODY);
}

/** A `content-type` that the definition sets is kept. */
function withBody(request: Omit<HttpRequest, 'body'>, { body, contentType }: EncodedBody): HttpRequest {
  const headers = { ...(contentType !== null && { 'content-type': contentType }), ...request.headers };
  return { ...request, headers, body };
}

export function appendPairs(url: URL, pairs: readonly string[]): void {
  url.search = [...url.search.slice(1).split('&'), ...pairs].filter((pair) => pair !== '').join('&');
}

type Field = Pick<HttpParameter, 'name' | 'style' | 'explode'>;

/** A parameter with the value null is not sent, because it would become the text `null`. JSON can express null. */
function isOmitted(parameter: HttpParameter, value: JsonValue): boolean {
  return value === null && parameter.in !== 'body';
}

function encodedBody(
  { kind, contentType }: DescribedBody,
  whole: JsonValue | undefined,
  fields: readonly [Field, JsonValue][],
): EncodedBody {
  const members = (): JsonObject => Object.fromEntries(fields.map(([{ name }, value]) => [name, value]));
  const concrete = contentType.includes('*') ? null : contentType;
  switch (kind) {
    case 'json':
      return { body: JSON.stringify(whole ?? members()), contentType: concrete ?? 'application/json' };
    case 'form': {
      const sent: readonly [Field, JsonValue][] = isJsonObject(whole)
        ? Object.entries(whole).map(([name, value]) => [{ name, ...UNDESCRIBED }, value])
        : fields;
      const pairs = sent.flatMap(([field, value]) =>
        value === null ? [] : queryPairs(formField(field, value), value),
      );
      return { body: pairs.join('&'), contentType };
    }
    case 'multipart':
      return encodeBody('multipart', multipartFields(isJsonObject(whole) ? whole : joinedLists(fields)));
    case 'text': {
      const text = encodeBody('text', whole ?? '');
      return { ...text, contentType: concrete ?? text.contentType };
    }
    case 'binary': {
      const file = encodeBody('binary', whole ?? null);
      const isGeneral = concrete === null || concrete === 'application/octet-stream';
      return { ...file, contentType: isGeneral ? file.contentType : concrete };
    }
  }
}

/** An object in a field of a form is JSON, unless the document gives it another style. */
function formField(field: Field, value: JsonValue): Field {
  return isJsonObject(value) && field.style === 'form' ? { ...field, style: 'json' } : field;
}

/** A list of files is always several parts. */
function joinedLists(fields: readonly [Field, JsonValue][]): JsonObject {
  return Object.fromEntries(
    fields.map(([field, value]) => {
      const isOnePart = field.style === 'form' && !field.explode && Array.isArray(value) && !value.some(isFileValue);
      return [field.name, isOnePart ? headerText(field, value) : value];
    }),
  );
}

/** An object in a part of a multipart body is JSON, unless it is a file. */
function multipartFields(members: JsonObject): JsonObject {
  const written = (value: JsonValue): JsonValue =>
    isJsonObject(value) && !isFileValue(value) ? JSON.stringify(value) : value;
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, Array.isArray(value) ? value.map(written) : written(value)]),
  );
}
