import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/** The value of the keyword `file`. */
export interface FileRule {
  /** Media types, such as `application/pdf` or `image/*`. Empty means every type. */
  readonly accept: readonly string[];
  /** Maximum size in bytes, or null. */
  readonly max: number | null;
}

/** What the service knows about a file that a value may name. */
export interface FileFacts {
  readonly contentType: string;
  readonly bytes: number;
}

/** The files that a checked value may name, by id. An id that is absent proves nothing, so the keyword refuses it. */
export interface KnownFiles {
  get(id: string): FileFacts | undefined;
}

/** Beside `file`, a schema may have only keywords that check nothing. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  'file',
  'title',
  'description',
  '$comment',
  'examples',
  'deprecated',
]);
const MEDIA_RANGE = /^(?:\*\/\*|[\w!#$&^.+-]+\/(?:\*|[\w!#$&^.+-]+))$/;
const SIZE = /^(\d{1,12}) ?(KiB|MiB|GiB)$/;
const UNITS: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
/** Types that can run scripts, which no range of types includes. */
const NEVER_BY_RANGE: ReadonlySet<string> = new Set(['image/svg+xml']);

/** Returns the rule of a schema with the keyword `file`. Undefined if it has none, or one that is not valid. */
export function fileRuleOf(schema: JsonObject): FileRule | undefined {
  if (!isJsonObject(schema.file) || fileRuleProblem(schema) !== undefined) return undefined;
  const { accept = [], max } = schema.file;
  return { accept: listOf(accept).map(String), max: max === undefined ? null : sizeOf(max) };
}

/** Returns why the keyword `file` of the schema is not valid: the key and a sentence. Undefined if it is valid. */
export function fileRuleProblem(schema: JsonObject): { key: string; detail: string } | undefined {
  const { file } = schema;
  if (!isJsonObject(file)) {
    return {
      key: 'file',
      detail: '`file` must be an object, for example `file: { accept: [application/pdf], max: 20MiB }`.',
    };
  }
  const foreign = Object.keys(schema).find((key) => !ANNOTATIONS.has(key));
  if (foreign !== undefined) {
    return {
      key: foreign,
      detail: `\`${foreign}\` cannot be combined with \`file\`. Only \`title\` and \`description\` can.`,
    };
  }
  const unknown = Object.keys(file).find((key) => key !== 'accept' && key !== 'max');
  if (unknown !== undefined) {
    return { key: 'file', detail: `\`file\` has no key \`${unknown}\`. Its keys are \`accept\` and \`max\`.` };
  }
  if (!listOf(file.accept ?? []).every((type) => typeof type === 'string' && MEDIA_RANGE.test(type))) {
    return {
      key: 'file',
      detail: '`accept` must be a list of media types, for example `[application/pdf, "image/*"]`.',
    };
  }
  if (file.max !== undefined && sizeOf(file.max) === null) {
    return { key: 'file', detail: '`max` must be a number of bytes, or a size such as `500KiB`, `20MiB` or `1GiB`.' };
  }
  return undefined;
}

function listOf(value: JsonValue): JsonValue[] {
  return Array.isArray(value) ? value : [value];
}

function sizeOf(max: JsonValue): number | null {
  if (typeof max === 'number') return Number.isSafeInteger(max) && max > 0 ? max : null;
  const [, count, unit = ''] = SIZE.exec(typeof max === 'string' ? max : '') ?? [];
  return count === undefined ? null : Number(count) * (UNITS[unit] ?? 1);
}

/** Returns why the file does not fit the rule, as a sentence. Undefined if it fits. */
export function fileMisfit({ accept, max }: FileRule, { contentType, bytes }: FileFacts): string | undefined {
  if (accept.length > 0 && !accept.some((range) => includes(range, contentType))) {
    const fact = bytes === 0 ? 'is empty' : `has the type ${contentType}`;
    return `This file ${fact}, and only ${accept.join(', ')} is allowed.`;
  }
  if (max !== null && bytes > max) return `This file has ${bytes} bytes, and at most ${max} are allowed.`;
  return undefined;
}

function includes(range: string, type: string): boolean {
  if (range === type || range === '*/*') return true;
  return range.endsWith('/*') && type.startsWith(range.slice(0, -1)) && !NEVER_BY_RANGE.has(type);
}
