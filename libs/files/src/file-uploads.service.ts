import { byteText, Clock, DomainError } from '@app/kernel';
import { StorageAlarmService } from '@app/platform/database';
import {
  AuditLogService,
  type IdempotencyClaim,
  IdempotencyStore,
  type OnceOnly,
  type Principal,
} from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { FileContentsService, type IncomingContent, type StoredContent } from './content/file-contents.service.js';
import { type FilesConfig, filesConfig } from './files.config.js';
import { FilesService } from './files.service.js';
import type { FileEntity } from './records/file.entity.js';
import { FileRepository } from './records/file.repository.js';

/** What is known about an upload before its body. */
export interface AnnouncedUpload {
  /** Bytes that the body has at least. 0 if the sender did not announce its length. */
  bytes: number;
  /** Milliseconds until the file is deleted if nothing refers to it. Undefined means the default of the installation. */
  lifetimeMillis: number | undefined;
}

/** Returns the idempotency claim for the content of the upload. */
export type ClaimOfContent = (content: StoredContent) => IdempotencyClaim | undefined;

const MAX_EXPIRED_AT_ONCE = 1_000;

/** Receives uploads. Several can arrive at the same time, and together they never exceed the quota of a workspace. */
@Injectable()
export class FileUploadsService {
  private arriving = 0;

  constructor(
    private readonly contents: FileContentsService,
    private readonly files: FilesService,
    private readonly table: FileRepository,
    private readonly requests: IdempotencyStore,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
    private readonly storage: StorageAlarmService,
    @Inject(filesConfig.KEY) private readonly config: FilesConfig,
  ) {}

  /**
   * Stores the file that `receive` returns. Calls `receive` after all checks that need no body. A repeated request with
   * the same idempotency key gets the file of the first one, and its bytes are dropped.
   * @throws DomainError `rate_limited`, `file_too_large`, `file_quota_exceeded`, `unavailable`, and the errors of
   * `receive` and of {@link IdempotencyStore.runOnce}
   */
  async upload(
    actor: Principal,
    { bytes, lifetimeMillis = this.config.unusedMillis }: AnnouncedUpload,
    receive: () => Promise<IncomingContent>,
    claimOf: ClaimOfContent,
  ): Promise<OnceOnly<FileEntity>> {
    this.storage.assertOff();
    this.assertPlace();
    this.arriving++;
    try {
      const check = await this.sizeCheck(actor.workspaceId);
      check(bytes);
      const content = await this.contents.write(actor.workspaceId, await receive(), check);
      const expiresAt = new Date(this.clock.now().getTime() + lifetimeMillis);
      const { result: id, replayed } = await this.insert(actor, content, expiresAt, claimOf(content)).catch(
        async (error: unknown) => {
          await this.contents.remove([content.id]);
          throw error;
        },
      );
      if (replayed) await this.contents.remove([content.id]);
      return { result: await this.files.get(actor, id), replayed };
    } finally {
      this.arriving--;
    }
  }

  private async insert(
    actor: Principal,
    content: StoredContent,
    expiresAt: Date,
    claim: IdempotencyClaim | undefined,
  ): Promise<OnceOnly<string>> {
    const { workspaceId, email } = actor;
    const { id, filename, bytes, sha256 } = content;
    const file = { ...content, workspaceId, source: 'upload', expiresAt, createdBy: email } as const;
    const insertOnce = (): Promise<OnceOnly<string>> =>
      this.requests.runOnce(workspaceId, claim, async (transaction) => {
        if (!(await this.table.insert(file, this.config.workspaceFileBytes, transaction))) throw this.quotaExceeded();
        const detail = { filename, content_type: content.contentType, bytes, sha256 };
        await this.audit.record(actor, { action: 'file.upload', target: id, detail }, transaction);
        return id;
      });
    try {
      return await insertOnce();
    } catch (error) {
      // Expired files count as deleted, whether or not the sweep has found them.
      if (!isQuotaError(error) || (await this.deleteExpired(workspaceId)) === 0) throw error;
      return insertOnce();
    }
  }

  private async deleteExpired(workspaceId: string): Promise<number> {
    const expired = await this.table.markExpired(workspaceId, MAX_EXPIRED_AT_ONCE);
    await this.contents.remove(expired);
    return expired.length;
  }

  private assertPlace(): void {
    const { maxConcurrentUploads: most } = this.config;
    if (this.arriving < most) return;
    const detail = `The service receives ${most} files at the same time. Try again in 1 s.`;
    throw new DomainError('rate_limited', detail, { retryAfterSeconds: 1 });
  }

  /** Returns a check of the size of a file, which throws while the file arrives. The insertion checks again. */
  private async sizeCheck(workspaceId: string): Promise<(bytes: number) => void> {
    const { maxFileBytes, workspaceFileBytes } = this.config;
    const room = await this.roomOf(workspaceId);
    return (bytes) => {
      if (bytes > maxFileBytes) throw fileTooLarge(maxFileBytes);
      if (workspaceFileBytes > 0 && bytes > room) throw this.quotaExceeded();
    };
  }

  private async roomOf(workspaceId: string): Promise<number> {
    const { workspaceFileBytes: limit, maxFileBytes } = this.config;
    const used = async (): Promise<number> => (await this.table.usage(workspaceId)).bytes;
    const room = limit - (await used());
    if (limit === 0 || room >= maxFileBytes) return room;
    return (await this.deleteExpired(workspaceId)) === 0 ? room : limit - (await used());
  }

  private quotaExceeded(): DomainError {
    const limit = this.config.workspaceFileBytes;
    const detail = `The files of the workspace would be larger than ${byteText(limit)} together. Delete files, or ask the operator to raise WORKSPACE_FILE_BYTES.`;
    return new DomainError('file_quota_exceeded', detail, { extensions: { limit_bytes: limit } });
  }
}

function fileTooLarge(limit: number): DomainError {
  const detail = `The file is larger than ${byteText(limit)}. Send a smaller file.`;
  return new DomainError('file_too_large', detail, { extensions: { limit_bytes: limit } });
}

function isQuotaError(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'file_quota_exceeded';
}
