import { Clock, DomainError } from '@app/kernel';
import {
  AuditLogService,
  type IdempotencyClaim,
  IdempotencyStore,
  type OnceOnly,
  type Principal,
} from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { FileContentsService, type IncomingContent } from './content/file-contents.service.js';
import type { StoredContent } from './records/stored-content.js';
import { FileRoomService } from './file-room.service.js';
import { type FilesConfig, filesConfig } from './files.config.js';
import { FilesService } from './files.service.js';
import type { FileEntity } from './records/file.entity.js';

export interface AnnouncedUpload {
  /** 0 if the sender did not announce its length. */
  bytes: number;
  lifetimeMillis: number | undefined;
}

export type ClaimOfContent = (content: StoredContent) => IdempotencyClaim | undefined;

/** Several can arrive at the same time, and together they never exceed the quota of a workspace. */
@Injectable()
export class FileUploadsService {
  private arriving = 0;

  constructor(
    private readonly contents: FileContentsService,
    private readonly files: FilesService,
    private readonly room: FileRoomService,
    private readonly requests: IdempotencyStore,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
    @Inject(filesConfig.KEY) private readonly config: FilesConfig,
  ) {}

  /**
   * Calls `receive` after all checks that need no body. A repeated request with the same idempotency key gets the file
   * of the first one, and its bytes are dropped.
   * @throws DomainError `rate_limited`, `file_too_large`, `file_quota_exceeded`, `unavailable`, and the errors of
   * `receive` and of {@link IdempotencyStore.runOnce}
   */
  async upload(
    actor: Principal,
    { bytes, lifetimeMillis = this.config.unusedMillis }: AnnouncedUpload,
    receive: () => Promise<IncomingContent>,
    claimOf: ClaimOfContent,
  ): Promise<OnceOnly<FileEntity>> {
    return this.takingPlace(async () => {
      const check = await this.room.sizeCheck(actor.workspaceId);
      check(bytes);
      const content = await this.contents.write(actor.workspaceId, await receive(), check);
      const expiresAt = new Date(this.clock.now().getTime() + lifetimeMillis);
      const { result: id, replayed } = await this.insert(actor, content, expiresAt, claimOf(content)).catch(
        async (error: unknown) => {
          await this.contents.removeAfter(error, [content.id]);
          throw error;
        },
      );
      if (replayed) await this.contents.remove([content.id]);
      return { result: await this.files.get(actor, id), replayed };
    });
  }

  /** @throws DomainError `rate_limited` */
  async takingPlace<T>(work: () => Promise<T>): Promise<T> {
    this.assertPlace();
    this.arriving++;
    try {
      return await work();
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
    const origin = { source: 'upload', sourceRun: null, sourceStep: null } as const;
    const file = { ...content, workspaceId, ...origin, expiresAt, createdBy: email };
    const insertOnce = (): Promise<OnceOnly<string>> =>
      this.requests.runOnce(workspaceId, claim, async (transaction) => {
        await this.room.insertRow(file, transaction);
        const detail = { filename, content_type: content.contentType, bytes, sha256 };
        await this.audit.record(actor, { action: 'file.upload', target: id, detail }, transaction);
        return id;
      });
    return this.room.insert(workspaceId, insertOnce);
  }

  private assertPlace(): void {
    const { maxConcurrentUploads: most } = this.config;
    if (this.arriving < most) return;
    const detail = `The service receives ${most} files at the same time. Try again in 1 s.`;
    throw new DomainError('rate_limited', detail, { retryAfterSeconds: 1 });
  }
}
