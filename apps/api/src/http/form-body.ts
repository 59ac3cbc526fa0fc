import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { DomainError, errorText, findUnsafeJson, type JsonObject, type JsonValue } from '@app/kernel';
import { parseJsonObject } from './json-body.js';
import { acceptedType, decodedText, tooLarge } from './request-body.js';

const MULTIPART = 'multipart/form-data';
const TYPES = ['application/json', 'application/x-www-form-urlencoded', MULTIPART];
const MOST_PARTS = 1_000;

/**
 * Reads a JSON object, or a form as an object of texts and files.
 * @param limit maximum size of the object in bytes
 * @throws DomainError `invalid_request`, `invalid_json`, `unsupported_media_type`, `payload_too_large`
 */
export async function parseObjectBody(request: IncomingMessage, bytes: Buffer, limit: number): Promise<JsonObject> {
  if (bytes.length === 0) return parseJsonObject('');
  const type = acceptedType(request, { types: TYPES });
  if (type === 'application/json') return parseJsonObject(decodedText(bytes));
  const form = type === MULTIPART ? await multipartForm(request, bytes) : urlEncodedForm(decodedText(bytes));
  const unsafe = findUnsafeJson(form);
  if (unsafe) throw new DomainError('invalid_request', unsafe.detail, { errors: [unsafe] });
  // Checks the limit again, because a file needs more space in base64 than in the form.
  if (type === MULTIPART && Buffer.byteLength(JSON.stringify(form)) > limit) throw tooLarge(limit);
  return form;
}

/** Reads a URL-encoded form. A name that occurs several times becomes a list. */
function urlEncodedForm(text: string): JsonObject {
  const fields = new Fields();
  for (const [name, value] of new URLSearchParams(text)) fields.add(name, value);
  return fields.object();
}

/**
 * Reads a `multipart/form-data` body (RFC 7578). A file becomes `{base64, filename, content_type}`. A name that occurs
 * several times becomes a list.
 * @throws DomainError `invalid_request`
 */
function multipartForm({ headers }: IncomingMessage, body: Buffer): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const fail = (reason: unknown): void =>
      reject(
        new DomainError(
          'invalid_request',
          `The form is not a valid multipart/form-data body: ${errorText(reason).replace(/\.$/, '')}.`,
        ),
      );
    try {
      const fields = new Fields();
      const limits = { parts: MOST_PARTS, fileSize: body.length + 1, fieldSize: body.length + 1, headerPairs: 50 };
      const parser = new Busboy({ headers: headers as BusboyHeaders, limits });
      const tooMany = (): void => fail(`it has more than ${MOST_PARTS} parts`);
      parser.on('field', (name, value) => fields.add(name, value));
      parser.on('file', (name, stream, filename: string | undefined, _, contentType) => {
        const file = { base64: '', ...(filename !== undefined && { filename }), content_type: contentType };
        fields.add(name, file);
        collect(stream, (content) => (file.base64 = content.toString('base64')));
      });
      parser.on('partsLimit', tooMany).on('error', fail);
      parser.on('finish', () => resolve(fields.object()));
      parser.end(body);
    } catch (error) {
      fail(error);
    }
  });
}

function collect(stream: Readable, done: (content: Buffer) => void): void {
  const chunks: Buffer[] = [];
  // Errors of an incomplete part are ignored here, because the parser itself reports them.
  stream.on('error', () => undefined);
  stream.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => done(Buffer.concat(chunks)));
}

/** Collects the values of a form by name. */
class Fields {
  private readonly values = new Map<string, JsonValue[]>();

  add(name: string, value: JsonValue): void {
    const known = this.values.get(name);
    if (known) known.push(value);
    else this.values.set(name, [value]);
  }

  object(): JsonObject {
    return Object.fromEntries(
      [...this.values].map(([name, values]): [string, JsonValue] => [name, values.length > 1 ? values : values[0]!]),
    );
  }
}
