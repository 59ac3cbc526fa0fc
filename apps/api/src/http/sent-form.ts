import type { FileEntity } from '@app/files';
import { DomainError, type JsonObject, type JsonValue } from '@app/kernel';
import { tooLarge } from './request-body.js';

const MAX_FIELDS = 1_000;

/** A file of a form as it is sent to runs. `base64` is null if the form would be too large with it. */
interface SentFile extends JsonObject {
  file: string;
  base64: string | null;
  content_type: string;
}

/**
 * Collects the fields and files of a form. A name that occurs several times becomes a list. The form as JSON has at most
 * `limit` bytes, if necessary without the bytes of its last files.
 */
export class SentForm {
  readonly files = new Map<string, FileEntity>();
  /** Ids of the stored files. */
  readonly ids: string[] = [];
  private readonly values: [name: string, value: JsonValue, compared: JsonValue][] = [];
  private readonly sent: SentFile[] = [];
  private fieldBytes = 0;
  private base64Bytes = 0;

  constructor(private readonly limit: number) {}

  /** Number of bytes that the content of another file may have to be part of the form as JSON. */
  get room(): number {
    return Math.max(0, Math.floor(((this.limit - this.fieldBytes - this.base64Bytes) * 3) / 4));
  }

  /** @throws DomainError `payload_too_large`, `invalid_request` */
  addField(name: string, text: string): void {
    this.fieldBytes += Buffer.byteLength(name) + Buffer.byteLength(text);
    if (this.fieldBytes > this.limit) throw tooLarge(this.limit);
    this.add(name, text, text);
  }

  /**
   * @param content the bytes of the file, unless there are more than {@link room}
   * @throws DomainError `invalid_request`
   */
  addFile(name: string, file: FileEntity, given: { contentType: string; isNamed: boolean }, content?: Buffer): void {
    const { id, filename, sha256 } = file;
    this.files.set(id, file);
    this.ids.push(id);
    const names = { ...(given.isNamed && { filename }), content_type: given.contentType };
    const sent: SentFile = { file: id, base64: content?.toString('base64') ?? null, ...names };
    this.base64Bytes += sent.base64?.length ?? 0;
    this.sent.push(sent);
    this.add(name, sent, { sha256, ...names });
  }

  /** @throws DomainError `payload_too_large` */
  object(): JsonObject {
    const object = byName(this.values.map(([name, value]) => [name, value]));
    let bytes = Buffer.byteLength(JSON.stringify(object));
    for (const file of [...this.sent].reverse()) {
      if (bytes <= this.limit) break;
      if (file.base64 === null) continue;
      bytes -= JSON.stringify(file.base64).length - JSON.stringify(null).length;
      file.base64 = null;
    }
    if (bytes > this.limit) throw tooLarge(this.limit);
    return object;
  }

  /** Returns the form with hashes instead of files, which is equal if the same form is sent again. */
  comparable(): JsonObject {
    return byName(this.values.map(([name, , compared]) => [name, compared]));
  }

  private add(name: string, value: JsonValue, compared: JsonValue): void {
    if (this.values.length === MAX_FIELDS) {
      throw new DomainError('invalid_request', `The form has more than ${MAX_FIELDS} parts. Send fewer parts.`);
    }
    this.values.push([name, value, compared]);
  }
}

/** Returns the values by name. A name with several values has a list. */
export function byName(pairs: readonly (readonly [name: string, value: JsonValue])[]): JsonObject {
  const values = new Map<string, JsonValue[]>();
  for (const [name, value] of pairs) {
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return Object.fromEntries(
    [...values].map(([name, all]): [string, JsonValue] => [name, all.length > 1 ? all : all[0]!]),
  );
}
