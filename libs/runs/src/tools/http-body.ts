import { type BodyKind, scalarText } from '@app/definition';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { type FileValue, isFileValue, readFileValue, UnusableFile } from './file-value.js';
import { UnusableRequest } from './unusable-request.js';

/** A `FormData` body is encoded later, when it is sent, because its encoding is asynchronous. */
export interface EncodedBody {
  readonly body: string | Uint8Array | FormData | null;
  readonly contentType: string | null;
}

export const NO_BODY: EncodedBody = { body: null, contentType: null };

/** @throws UnusableRequest if the content cannot be encoded as this kind of body */
export function encodeBody(kind: BodyKind, content: JsonValue): EncodedBody {
  switch (kind) {
    case 'none':
      return NO_BODY;
    case 'json':
      return { body: JSON.stringify(content), contentType: 'application/json' };
    case 'form':
      return { body: formText(content), contentType: 'application/x-www-form-urlencoded' };
    case 'multipart':
      return { body: multipart(content), contentType: 'multipart/form-data' };
    case 'text':
      return textBody(content);
    case 'binary':
      return binaryBody(content);
  }
}

export async function sentBody(
  body: EncodedBody['body'],
  contentType: string | undefined,
): Promise<{ body: string | Uint8Array | null; contentType: string | undefined }> {
  if (!(body instanceof FormData)) return { body, contentType };
  const encoded = new Response(body);
  const boundary = /boundary=([^;]+)/.exec(encoded.headers.get('content-type') ?? '')?.[1] ?? '';
  const bytes = new Uint8Array(await encoded.arrayBuffer());
  const type = (contentType ?? 'multipart/form-data').replace(/\s*;\s*boundary=("[^"]*"|[^;]*)/i, '');
  return { body: bytes, contentType: `${type}; boundary=${boundary}` };
}

function formText(content: JsonValue): string {
  const form = new URLSearchParams();
  for (const [name, value] of membersOf(content, 'form')) {
    for (const item of itemsOf(value)) form.append(name, scalarOf(name, item, 'form'));
  }
  return form.toString();
}

function multipart(content: JsonValue): FormData {
  const form = new FormData();
  for (const [name, value] of membersOf(content, 'multipart')) {
    for (const item of itemsOf(value)) {
      if (isFileValue(item)) appendFile(form, name, fileOf(`\`${name}\``, item));
      else form.append(name, scalarOf(name, item, 'multipart'));
    }
  }
  return form;
}

function appendFile(form: FormData, name: string, { bytes, filename, contentType }: FileValue): void {
  form.append(name, new Blob([new Uint8Array(bytes)], { type: contentType }), filename ?? 'file');
}

function textBody(content: JsonValue): EncodedBody {
  if (content === null) return NO_BODY;
  if (typeof content === 'object') throw new UnusableRequest('`body: text` needs a string, not a list or an object.');
  return { body: scalarText(content), contentType: 'text/plain;charset=utf-8' };
}

function binaryBody(content: JsonValue): EncodedBody {
  if (!isJsonObject(content)) throw new UnusableRequest('`body: binary` needs a file: `{base64}` or `{text}`.');
  const { bytes, contentType } = fileOf('The file', content);
  return { body: new Uint8Array(bytes), contentType };
}

function fileOf(name: string, value: JsonObject): FileValue {
  try {
    return readFileValue(value);
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    throw new UnusableRequest(`${name} cannot be sent: it ${error.message}`);
  }
}

function membersOf(content: JsonValue, kind: BodyKind): [string, JsonValue][] {
  if (content === null) return [];
  if (isJsonObject(content)) return Object.entries(content);
  throw new UnusableRequest(`\`body: ${kind}\` needs an object, whose members are the fields of the form.`);
}

export function itemsOf(value: JsonValue): JsonValue[] {
  return (Array.isArray(value) ? value : [value]).filter((item) => item !== null);
}

function scalarOf(name: string, value: JsonValue, kind: BodyKind): string {
  if (typeof value !== 'object') return scalarText(value);
  const allowed =
    kind === 'multipart'
      ? 'strings, numbers, booleans, files and lists of them'
      : 'strings, numbers, booleans and lists of them';
  throw new UnusableRequest(`The field \`${name}\` of the form is nested. A form can contain ${allowed}.`);
}
