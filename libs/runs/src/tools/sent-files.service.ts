import { type FileEntity, RunFilesService } from '@app/files';
import { DomainError, invariant } from '@app/kernel';
import { SigningKey } from '@app/platform/crypto';
import type { StreamedBody } from '@app/platform/egress';
import { Injectable } from '@nestjs/common';
import { assertGoing, isUnavailable } from '../calls/storage-patience.js';
import type { ToolCall } from '../calls/tool-call.js';
import { isStored, type SentFile } from './file-value.js';
import type { BodyContent, FormPart } from './http-body.js';
import { boundaryOf, formPieces, type Part, type Piece, piecesOf, sizeOf } from './multipart-form.js';
import { StorageAway, UnusableRequest } from './unusable-request.js';

/** A body as it is sent. */
export interface SentBody {
  body: string | Uint8Array | StreamedBody | null;
  contentType: string | undefined;
}

/** A file as it is sent. A stored file has its name and its type from its row, if the request names none. */
export interface SendableFile {
  filename: string | null;
  contentType: string | null;
  content: Piece;
}

/** Reads the files that tool calls send. A file is streamed from the storage, and never whole in memory. */
@Injectable()
export class SentFilesService {
  constructor(
    private readonly files: RunFilesService,
    private readonly key: SigningKey,
  ) {}

  /**
   * Returns the body of a request. All attempts of a call send equal bytes: the boundary of a form depends on the key of
   * the call, and no sender of a file can know it.
   * @throws UnusableRequest `file_missing` if the run may not use a file
   */
  async body(body: BodyContent, given: string | undefined, call: ToolCall): Promise<SentBody> {
    if (body === null || typeof body === 'string' || body instanceof Uint8Array) return { body, contentType: given };
    if (isStored(body)) {
      const [file] = await this.resolve([{ content: body, filename: null, contentType: given ?? null }], call);
      invariant(file, 'each file is resolved');
      return { body: this.streamed([file.content], call), contentType: file.contentType ?? undefined };
    }
    const boundary = boundaryOf(this.key.hmac('form boundary', call.idempotencyKey));
    const type = (given ?? 'multipart/form-data').replace(/\s*;\s*boundary=("[^"]*"|[^;]*)/i, '');
    const pieces = formPieces(await this.resolvedParts(body, call), boundary);
    const inMemory = pieces.filter((piece) => piece instanceof Uint8Array);
    const isInMemory = inMemory.length === pieces.length;
    const encoded = isInMemory ? Buffer.concat(inMemory) : this.streamed(pieces, call);
    return { body: encoded, contentType: `${type}; boundary=${boundary}` };
  }

  /**
   * Returns the files in the same order.
   * @throws UnusableRequest `file_missing`
   */
  async resolve(sent: readonly SentFile[], call: ToolCall): Promise<SendableFile[]> {
    const rows = await this.rows(sent, call);
    return sent.map(({ content, filename, contentType }) => {
      if (!isStored(content)) return { content, filename, contentType };
      const row = rows.get(content.file);
      invariant(row, 'each file is resolved');
      const open = (): Promise<AsyncIterable<Buffer>> => orLater(() => this.files.open(row));
      return {
        content: { bytes: row.bytes, open },
        filename: filename ?? row.filename,
        contentType: contentType ?? row.contentType,
      };
    });
  }

  /**
   * Reads the first bytes of each stored file, so that nothing is sent if one is missing.
   * @throws UnusableRequest `file_missing`
   */
  async assertReadable(pieces: readonly Piece[], { signal }: ToolCall): Promise<void> {
    for (const piece of pieces) {
      assertGoing(signal);
      if (piece instanceof Uint8Array) continue;
      const content = await piece.open();
      await content[Symbol.asyncIterator]().return?.();
    }
  }

  private async resolvedParts(parts: readonly FormPart[], call: ToolCall): Promise<Part[]> {
    const files = parts.flatMap((part) => ('file' in part ? [part.file] : []));
    const sendable = new Map((await this.resolve(files, call)).map((file, index) => [files[index], file]));
    return parts.map((part) => {
      if (!('file' in part)) return part;
      const file = sendable.get(part.file);
      invariant(file, 'each file is resolved');
      const { filename, contentType, content } = file;
      return { name: part.name, file: { filename: filename ?? 'file', contentType: contentType ?? '', content } };
    });
  }

  private streamed(pieces: readonly Piece[], call: ToolCall): StreamedBody {
    const bytes = sizeOf(pieces);
    const open = async (): Promise<AsyncIterable<Uint8Array>> => {
      await this.assertReadable(pieces, call);
      return piecesOf(pieces);
    };
    return { bytes, open };
  }

  private async rows(sent: readonly SentFile[], call: ToolCall): Promise<ReadonlyMap<string, FileEntity>> {
    const ids = sent.flatMap(({ content }) => (isStored(content) ? [content.file] : []));
    const { fileRun } = call;
    if (ids.length === 0) return new Map();
    if (!fileRun) throw new UnusableRequest('A call outside a run can send no stored file.', 'file_missing');
    const rows = await orLater(() => this.files.resolve(call.workspaceId, fileRun, ids));
    return new Map(rows.map((row) => [row.id, row]));
  }
}

/**
 * Does work whose repetition does no harm.
 * @throws UnusableRequest `file_missing`; StorageAway, after which the call is made again later
 */
export async function orLater<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUnavailable(error)) throw new StorageAway(error.message);
    if (error instanceof DomainError && error.code === 'file_missing')
      throw new UnusableRequest(error.message, 'file_missing');
    throw error;
  }
}
