import { parseExactJson } from '@app/kernel';
import { createHash, createHmac } from 'node:crypto';
import { findUnsafeNesting, jsonText } from './cel-json.js';
import { spend } from './cel-cost.js';
import { engineMap, fail, type FunctionSpec, isEngineMap, membersOf } from './function-spec.js';

type Data = string | Uint8Array;
const DATA_TYPES = ['string', 'bytes'];
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * Decodes base64 and base64url (RFC 4648). Ignores white space, because many programs break base64 into lines (RFC
 * 2045). The padding may be left out.
 */
function decodeBase64(given: string): Uint8Array {
  const text = given.replace(/\s+/g, '');
  const digits = text.replace(/=+$/, '');
  const isPadded = digits.length < text.length;
  if (!BASE64.test(text) || digits.length % 4 === 1 || (isPadded && text.length % 4 !== 0)) {
    fail('decodes a string that is not base64');
  }
  return Buffer.from(digits, 'base64');
}

function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function decodeJson(text: string): unknown {
  spend(text.length >> 4);
  const problem = findUnsafeNesting(text);
  if (problem !== undefined) fail(problem);
  const value = parsed(text);
  return engineValue(value);
}

function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return fail('decodes a string that is not JSON');
  }
}

function engineValue(value: unknown): unknown {
  spend(1);
  if (typeof value === 'number' && !Number.isFinite(value)) fail('decodes a number beyond the range of doubles');
  if (Array.isArray(value)) return value.map(engineValue);
  if (typeof value !== 'object' || value === null) return value;
  return engineMap(Object.entries(value).map(([key, member]) => [key, engineValue(member)]));
}

function encodeUrl(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return fail('decodes a string that is not percent-encoded UTF-8');
  }
}

function encodingOf(name: string | undefined): 'hex' | 'base64' {
  if (name === undefined || name === 'hex') return 'hex';
  return name === 'base64' ? 'base64' : fail('has an unknown encoding', 'failed', 'Write `"base64"`, or leave it out.');
}

function hash(algorithm: string): (data: Data, encoding?: string) => string {
  return (data, encoding) => createHash(algorithm).update(data).digest(encodingOf(encoding));
}

function hmacSha256(data: Data, key: Data, encoding?: string): string {
  return createHmac('sha256', key).update(data).digest(encodingOf(encoding));
}

const md5 = hash('md5');
const sha256 = hash('sha256');

export const ENCODING_FUNCTIONS: readonly FunctionSpec[] = [
  ['base64.encode(bytes): string', encodeBase64],
  ['base64.decode(string): bytes', decodeBase64],
  ['json.encode(dyn): string', jsonText],
  ['json.decode(string): dyn', decodeJson],
  ['url.encode(string): string', encodeUrl],
  ['url.decode(string): string', decodeUrl],
  ...DATA_TYPES.flatMap((data): FunctionSpec[] => [
    [`hash.md5(${data}): string`, (value: Data) => md5(value)],
    [`hash.md5(${data}, string): string`, md5],
    [`hash.sha256(${data}): string`, (value: Data) => sha256(value)],
    [`hash.sha256(${data}, string): string`, sha256],
    ...DATA_TYPES.flatMap((key): FunctionSpec[] => [
      [`hash.hmacSha256(${data}, ${key}): string`, (value: Data, secret: Data) => hmacSha256(value, secret)],
      [`hash.hmacSha256(${data}, ${key}, string): string`, hmacSha256],
    ]),
  ]),
];

const UUID_NAMESPACE = Buffer.from('5f0c9d6e4a0b4c0e9b1f7a3c8f2d6e15', 'hex');
const UUID_BYTES = 16;

/** In one run, a name always gives the same UUID. */
function uuid(run: unknown, name: string): string {
  const id = isEngineMap(run) ? new Map(membersOf(run)).get('id') : undefined;
  if (typeof id !== 'string') fail('needs the id of the run, which is not available here', 'missing_field');
  const bytes = createHash('sha1').update(UUID_NAMESPACE).update(`${id}\n${name}`).digest().subarray(0, UUID_BYTES);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The first argument is the variable `run`. */
export const UUID_FUNCTIONS: readonly FunctionSpec[] = [['run.uuid(dyn, string): string', uuid]];
