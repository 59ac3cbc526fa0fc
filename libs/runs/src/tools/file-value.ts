import { cleanFileName, isFileValue as namesFile } from '@app/files';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/** The bytes of a file of the storage. They are read when they are sent. */
export interface StoredContent {
  /** Id of the file. */
  readonly file: string;
}

/**
 * A file that was read from JSON data. The data is one of four: a stored file, `{base64 | text, filename?,
 * content_type?}`, an attachment of a received e-mail, or a recorded binary response. The name and the type are null if
 * the data has none.
 */
export interface SentFile {
  readonly content: Buffer | StoredContent;
  readonly filename: string | null;
  readonly contentType: string | null;
}

export function isStored(content: unknown): content is StoredContent {
  return typeof content === 'object' && content !== null && 'file' in content;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const CONTENT_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\x20-\x7e]*)?$/;
const CONTROL = /\p{Cc}/u;

/** The message begins with a verb, such as `has`. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
}

/**
 * Returns whether the value has the shape of a file: `file` with an id, `base64`, `text`, or `content` and `encoding` as
 * in an attachment of a received e-mail.
 */
export function isFileValue(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value)) return false;
  return namesFile(value) || 'base64' in value || 'text' in value || ('content' in value && 'encoding' in value);
}

/** @throws UnusableFile */
export function readFileValue(value: JsonObject): SentFile {
  const { content_type: contentType = null } = value;
  if (contentType !== null && (typeof contentType !== 'string' || !CONTENT_TYPE.test(contentType)))
    throw new UnusableFile('has a `content_type` that is not a media type such as `application/pdf`.');
  if (namesFile(value)) {
    const { file, filename } = value;
    return { content: { file }, filename: typeof filename === 'string' ? cleanFileName(filename) : null, contentType };
  }
  const { filename = value.name ?? null } = value;
  if (filename !== null && (typeof filename !== 'string' || CONTROL.test(filename)))
    throw new UnusableFile('has a `filename` that is not a string, or that contains a control character.');
  const isText = typeof value.text === 'string' || value.encoding === 'text';
  const type = isText ? 'text/plain;charset=utf-8' : 'application/octet-stream';
  return { content: bytesOf(value), filename, contentType: contentType ?? type };
}

function bytesOf({ base64, text, content, encoding }: JsonObject): Buffer {
  if (typeof text === 'string' && base64 === undefined) return Buffer.from(text);
  if (typeof base64 === 'string' && text === undefined) return decoded(base64);
  if (typeof content === 'string' && encoding === 'text') return Buffer.from(content);
  if (typeof content === 'string' && encoding === 'base64') return decoded(content);
  if (base64 === null || content === null)
    throw new UnusableFile('has no content, because it was larger than the limit for recorded data.');
  throw new UnusableFile('must have either `base64` or `text`, as a string.');
}

function decoded(base64: string): Buffer {
  const compact = base64
    .replace(/[\r\n]/g, '')
    .replace(/-/g, '+')
    .replace(/_/g, '/');
  const bare = compact.replace(/=+$/, '');
  if (!BASE64.test(compact) || bare.length % 4 === 1) throw new UnusableFile('is not valid base64.');
  return Buffer.from(compact, 'base64');
}
