import { type BodyKind, scalarText } from '@app/definition';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { isFileValue, readFileValue, type SentFile, type StoredContent, UnusableFile } from './file-value.js';
import { UnusableRequest } from './unusable-request.js';

/** A field of a multipart form: a text, or a file. */
export type FormPart = { readonly name: string } & ({ readonly text: string } | { readonly file: SentFile });

/** A form is encoded when it is sent. */
export type BodyContent = string | Uint8Array | StoredContent | readonly FormPart[] | null;

/** `contentType` is null for a stored file whose type the definition does not set. */
export interface EncodedBody {
  readonly body: BodyContent;
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

function formText(content: JsonValue): string {
  const form = new URLSearchParams();
  for (const [name, value] of membersOf(content, 'form')) {
    for (const item of itemsOf(value)) form.append(name, scalarOf(name, item, 'form'));
  }
  return form.toString();
}

function multipart(content: JsonValue): FormPart[] {
  return membersOf(content, 'multipart').flatMap(([name, value]) =>
    itemsOf(value).map((item) =>
      isFileValue(item)
        ? { name, file: fileOf(`\`${name}\``, item) }
        : { name, text: scalarOf(name, item, 'multipart') },
    ),
  );
}

function textBody(content: JsonValue): EncodedBody {
  if (content === null) return NO_BODY;
  if (typeof content === 'object') throw new UnusableRequest('`body: text` needs a string, not a list or an object.');
  return { body: scalarText(content), contentType: 'text/plain;charset=utf-8' };
}

function binaryBody(content: JsonValue): EncodedBody {
  if (!isJsonObject(content))
    throw new UnusableRequest('`body: binary` needs a file: `{file}`, `{base64}` or `{text}`.');
  const { content: body, contentType } = fileOf('The file', content);
  return { body, contentType };
}

function fileOf(name: string, value: JsonObject): SentFile {
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
