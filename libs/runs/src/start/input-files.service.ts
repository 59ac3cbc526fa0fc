import {
  type FileEntity,
  FileRightsService,
  type FileSource,
  fileValueOf,
  MAX_RUN_FILES,
  RunFilesService,
} from '@app/files';
import { type AddedMembers, fileFieldsIn, type KnownFiles, withoutUnnamed } from '@app/definition';
import {
  DomainError,
  fileValuesBelow,
  isFileValue,
  isJsonObject,
  type JsonObject,
  jsonPointer,
  type JsonValue,
  replaceFileValues,
} from '@app/kernel';
import type { Principal } from '@app/workspace';
import { Injectable } from '@nestjs/common';

/** A value that a run is about to accept: an input, an answer, an edited request, the body of a callback. */
export interface OfferedValue {
  workspaceId: string;
  /** The member that the value has in the request, for pointers: `input`. */
  member: string;
  value: JsonObject;
  /** Where it has the keyword `file`, inline content becomes a stored file. */
  schema: JsonObject | undefined;
  /** The caller. Null if no person sent the value: an id in it then proves nothing, and stays plain data. */
  caller: Principal | null;
  /** Files that may be used whoever sent the value. */
  known?: ReadonlyMap<string, FileEntity>;
  /**
   * Set for a value from outside, which keeps its members: only where its schema has the keyword `file`, they are those
   * of the row. Returns the members that the service has added, which are left out where the schema does not allow them.
   */
  added?: AddedMembers;
  source: { type: FileSource; run?: string };
}

/** A value whose files have been looked up. */
export interface AcceptedValue {
  value: JsonObject;
  /** The files of the value that the run may use. */
  files: ReadonlyMap<string, FileEntity> & KnownFiles;
  /** Files that were stored for this value. If it is not accepted after all, the caller discards them. */
  stored: readonly string[];
}

const UNUSABLE = 'There is no such file, it was deleted, or you may not use it.';

/** Looks up the files of the values that a run accepts, and stores inline content. */
@Injectable()
export class InputFilesService {
  constructor(
    private readonly rights: FileRightsService,
    private readonly files: RunFilesService,
  ) {}

  /**
   * Writes the members of all files in the value from their rows, at any depth below the root.
   * @throws DomainError `input_invalid` with the pointer of each `file` that the caller may not use, and the errors of
   * {@link RunFilesService.store}
   */
  async accept(offered: OfferedValue): Promise<AcceptedValue> {
    const { value, caller, known = new Map<string, FileEntity>(), schema, member, added } = offered;
    const places = fileValuesBelow(value);
    const files = new Map(known);
    if (caller && places.length > 0) {
      const unknown = places.map(({ id }) => id).filter((id) => !files.has(id));
      for (const [id, file] of await this.rights.usableBy(caller, unknown)) files.set(id, file);
      assertUsable(places, files, member);
    }
    const inline = schema ? inlineIn(schema, value) : [];
    const named = places.filter(({ id }) => files.has(id)).map(({ id }) => id);
    assertFew(new Set(named).size + inline.length, member);
    const { value: filled, stored } = await this.storeInline(offered, inline);
    for (const file of stored) files.set(file.id, file);
    const described = added
      ? fitted(filled, schema, added)
      : mapMembers(filled, (each) => describedByRows(each, files));
    return { value: exactFields(described, schema, files), files, stored: stored.map(({ id }) => id) };
  }

  /** Deletes files that were stored for a value which was not accepted. */
  async discard(workspaceId: string, stored: readonly string[]): Promise<void> {
    if (stored.length > 0) await this.files.discard(workspaceId, stored);
  }

  private async storeInline(
    { workspaceId, value, source, caller }: OfferedValue,
    inline: readonly InlineFile[],
  ): Promise<{ value: JsonObject; stored: FileEntity[] }> {
    let filled: JsonValue = value;
    const stored: FileEntity[] = [];
    try {
      for (const { path, content } of inline) {
        const { bytes, filename, contentType } = content;
        const file = await this.files.store(workspaceId, {
          source,
          filename,
          declaredContentType: contentType,
          stream: once(bytes),
          announcedBytes: bytes.length,
          createdBy: caller?.email ?? null,
        });
        stored.push(file);
        filled = replacedAt(filled, path, fileValueOf(file));
      }
    } catch (error) {
      await this.discard(
        workspaceId,
        stored.map(({ id }) => id),
      );
      throw error;
    }
    return { value: isJsonObject(filled) ? filled : value, stored };
  }
}

function assertUsable(
  places: ReturnType<typeof fileValuesBelow>,
  files: ReadonlyMap<string, FileEntity>,
  member: string,
): void {
  const errors = places.flatMap(({ id, path }) =>
    files.has(id) ? [] : [{ pointer: jsonPointer([member, ...path, 'file']), detail: UNUSABLE }],
  );
  const [first] = errors;
  if (first) throw new DomainError('input_invalid', `A file cannot be used: ${first.pointer}.`, { errors });
}

function assertFew(count: number, member: string): void {
  if (count <= MAX_RUN_FILES) return;
  const detail = `A run may use at most ${MAX_RUN_FILES} files.`;
  throw new DomainError('input_invalid', detail, { errors: [{ pointer: `/${member}`, detail }] });
}

function describedByRows(value: JsonValue, files: ReadonlyMap<string, FileEntity>): JsonValue {
  return replaceFileValues(value, (named) => {
    const file = files.get(named.file);
    return file && { ...named, ...fileValueOf(file) };
  });
}

function fitted(value: JsonObject, schema: JsonObject | undefined, added: AddedMembers): JsonObject {
  const kept = schema ? withoutUnnamed(schema, value, added) : value;
  return isJsonObject(kept) ? kept : value;
}

/** Where the schema has the keyword `file`, a value has exactly the five members. */
function exactFields(
  value: JsonObject,
  schema: JsonObject | undefined,
  files: ReadonlyMap<string, FileEntity>,
): JsonObject {
  let exact: JsonValue = value;
  for (const field of schema ? fileFieldsIn(schema, value) : []) {
    const file = isFileValue(field.value) ? files.get(field.value.file) : undefined;
    if (file) exact = replacedAt(exact, field.path, fileValueOf(file));
  }
  return isJsonObject(exact) ? exact : value;
}

function mapMembers(object: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, member]) => [key, change(member)]));
}

function replacedAt(value: JsonValue, [part, ...rest]: readonly string[], replacement: JsonValue): JsonValue {
  if (part === undefined) return replacement;
  if (Array.isArray(value)) {
    return value.map((item, at) => (String(at) === part ? replacedAt(item, rest, replacement) : item));
  }
  if (!isJsonObject(value) || !Object.hasOwn(value, part)) return value;
  return { ...value, [part]: replacedAt(value[part] ?? null, rest, replacement) };
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

interface InlineContent {
  bytes: Buffer;
  filename: string;
  contentType: string | undefined;
}

interface InlineFile {
  path: readonly string[];
  content: InlineContent;
}

/** Returns the inline content where the schema has the keyword `file`. */
function inlineIn(schema: JsonObject, value: JsonObject): InlineFile[] {
  return fileFieldsIn(schema, value).flatMap((field) => {
    const content = inlineContent(field.value);
    return content ? [{ path: field.path, content }] : [];
  });
}

/** Returns the content of `{base64 | text, filename?, content_type?}`. A value of another form is no inline file. */
function inlineContent(value: JsonValue): InlineContent | undefined {
  if (!isJsonObject(value) || isFileValue(value)) return undefined;
  const { base64, text, filename, content_type: contentType } = value;
  const bytes = bytesOf(base64, text);
  return (
    bytes && {
      bytes,
      filename: typeof filename === 'string' ? filename : '',
      contentType: typeof contentType === 'string' ? contentType : undefined,
    }
  );
}

function bytesOf(base64: JsonValue | undefined, text: JsonValue | undefined): Buffer | undefined {
  if (typeof text === 'string' && base64 === undefined) return Buffer.from(text);
  if (typeof base64 !== 'string' || text !== undefined) return undefined;
  const compact = base64.replace(/[\r\n]/g, '');
  return BASE64.test(compact) ? Buffer.from(compact, 'base64') : undefined;
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
