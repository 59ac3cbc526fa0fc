import type { OperationEffect } from '@app/definition';
import { Clock } from '@app/kernel';
import { type FileEntity, type FileValue, fileValueOf, RunFilesService } from '@app/files';
import {
  EgressClient,
  EgressError,
  type EgressRequest,
  type EgressResponse,
  isWithoutBody,
} from '@app/platform/egress';
import { Injectable } from '@nestjs/common';
import { isUnavailable, whileStorageRecovers } from '../calls/storage-patience.js';
import type { PreparedCall } from '../calls/tool-call.js';
import { orLater } from './sent-files.service.js';
import { UnusableRequest } from './unusable-request.js';

/** `stored`: the file that has the body of the response, or null if the response has no body. */
export type ReceivedAnswer = EgressResponse & { readonly stored?: FileValue | null };

/** Stores the bodies of responses as files. No body is whole in memory. */
@Injectable()
export class ReceivedFilesService {
  constructor(
    private readonly egress: EgressClient,
    private readonly files: RunFilesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends the request and stores the body of a response with a status from 200 to 299. Other bodies are returned up to
   * `maxResponseBytes`. If the response ends too early, nothing is stored.
   * @throws DomainError the errors of {@link RunFilesService.store}; EgressError
   */
  async receive(
    request: EgressRequest,
    { workspaceId, fileRun, origin, operation }: PreparedCall,
  ): Promise<ReceivedAnswer> {
    if (!fileRun) throw new UnusableRequest('A call outside a run can receive no file.');
    const { body, ...head } = await this.egress.stream({ ...request, maxResponseBytes: Number.MAX_SAFE_INTEGER });
    const none = { ...head, body: Buffer.alloc(0), truncated: false };
    if (head.status >= 300) return { ...head, ...(await beginningOf(body, request.maxResponseBytes ?? 0)) };
    if (isWithoutBody(head.status)) {
      await body.cancel();
      return { ...none, stored: null };
    }
    const { 'content-type': type, 'content-length': length = '0' } = head.headers;
    const storing = this.files.store(workspaceId, {
      source: { type: 'tool', run: origin.runId, step: origin.step },
      filename: answerName(head.headers['content-disposition'] ?? '', head.url),
      declaredContentType: type,
      announcedBytes: Number(length) || 0,
      stream: chunksOf(body),
    });
    const stored = await storing.catch((error: unknown) => rethrown(error, operation.effect));
    return { ...none, stored: fileValueOf(stored) };
  }

  /**
   * Stores a response whose beginning this process holds. If the storage does not answer, a call that may be repeated is
   * made again later.
   * @throws DomainError the errors of {@link RunFilesService.store}; StorageAway; EgressError if the response ends too
   * early
   */
  async keepStreamed(call: PreparedCall, { bytes, rest, filename, contentType }: StreamedBytes): Promise<FileEntity> {
    const { workspaceId, origin, operation } = call;
    const store = (): Promise<FileEntity> =>
      this.files.store(workspaceId, {
        source: { type: 'tool', run: origin.runId, step: origin.step },
        filename,
        declaredContentType: contentType,
        announcedBytes: bytes.length,
        stream: joined(bytes, rest),
      });
    try {
      return await (operation.effect === 'at_most_once' ? store() : orLater(store));
    } catch (error) {
      await rest.cancel().catch(() => undefined);
      throw error;
    }
  }

  /**
   * Stores bytes of a response that this process holds, and returns the id of the file. While the storage does not
   * answer, a write that must not be repeated waits, and every other call is made again later.
   * @throws DomainError the errors of {@link RunFilesService.store}; UnusableRequest; StorageAway; EgressError
   */
  async keep(call: PreparedCall, { bytes, filename, contentType }: KeptBytes): Promise<string> {
    const { workspaceId, origin } = call;
    const store = (): Promise<FileEntity> =>
      this.files.store(workspaceId, {
        source: { type: 'tool', run: origin.runId, step: origin.step },
        filename,
        declaredContentType: contentType,
        announcedBytes: bytes.length,
        stream: windowsOf(bytes),
      });
    if (call.operation.effect !== 'at_most_once') return (await orLater(store)).id;
    try {
      return (await whileStorageRecovers(this.clock, call.signal, store)).id;
    } catch (error) {
      if (isUnavailable(error)) throw new UnusableRequest(error.message);
      if (!(error instanceof EgressError)) throw error;
      throw new EgressError(error.reason, error.message, { sent: true, cause: error });
    }
  }
}

export interface KeptBytes {
  bytes: Buffer;
  filename: string;
  contentType: string | undefined;
}

interface StreamedBytes extends KeptBytes {
  /** The bytes after `bytes`. */
  rest: ReadableStream<Uint8Array>;
}

/** A write that cannot be sent again has succeeded, although its response broke off. */
function rethrown(error: unknown, effect: OperationEffect): never {
  if (!(error instanceof EgressError) || effect !== 'at_most_once') throw error;
  throw new UnusableRequest(`The response could not be stored: ${error.message}`);
}

/** Returns the name in `Content-Disposition` (RFC 6266), else the last segment of the path, else `response`. */
export function answerName(disposition: string, url: string): string {
  const [, encoded] = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition) ?? [];
  const [, quoted, token] = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition) ?? [];
  const [, segment = ''] = /\/([^/]*)\/*$/.exec(new URL(url).pathname) ?? [];
  const plain = quoted?.replace(/\\(.)/g, '$1') ?? token;
  return [encoded && decoded(encoded), plain, decoded(segment)].find(Boolean) ?? 'response';
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const WINDOW_BYTES = 64 * 1024;

export async function* windowsOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += WINDOW_BYTES) yield bytes.subarray(at, at + WINDOW_BYTES);
}

async function* joined(bytes: Buffer, rest: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  yield* windowsOf(bytes);
  yield* chunksOf(rest);
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  const reader = body.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read())
      yield Buffer.from(part.value.buffer, part.value.byteOffset, part.value.byteLength);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function beginningOf(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<{ body: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(body)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: length > maxBytes };
}
