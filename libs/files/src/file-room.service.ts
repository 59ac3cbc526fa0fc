import { byteText, DomainError } from '@app/kernel';
import { StorageAlarmService, type Transaction } from '@app/platform/database';
import { Inject, Injectable } from '@nestjs/common';
import { FileContentsService } from './content/file-contents.service.js';
import { type FilesConfig, filesConfig } from './files.config.js';
import { FileRepository, type NewFile } from './records/file.repository.js';

const MAX_EXPIRED_AT_ONCE = 1_000;

/** Files that arrive at the same time never exceed its quota together. */
@Injectable()
export class FileRoomService {
  constructor(
    private readonly contents: FileContentsService,
    private readonly table: FileRepository,
    private readonly storage: StorageAlarmService,
    @Inject(filesConfig.KEY) private readonly config: FilesConfig,
  ) {}

  /**
   * The insertion checks again.
   * @throws DomainError `unavailable`. The check throws DomainError `file_too_large`, `file_quota_exceeded`.
   */
  async sizeCheck(workspaceId: string): Promise<(bytes: number) => void> {
    this.storage.assertOff();
    const { maxFileBytes, workspaceFileBytes } = this.config;
    const room = await this.roomOf(workspaceId);
    return (bytes) => {
      if (bytes > maxFileBytes) throw fileTooLarge(maxFileBytes);
      if (workspaceFileBytes > 0 && bytes > room) throw this.quotaExceeded();
    };
  }

  /** @throws DomainError `file_quota_exceeded` */
  async insertRow(file: NewFile, transaction: Transaction): Promise<void> {
    if (!(await this.table.insert(file, this.config.workspaceFileBytes, transaction))) throw this.quotaExceeded();
  }

  /** Expired files count as deleted, whether or not the sweep has found them. */
  async insert<T>(workspaceId: string, insert: () => Promise<T>): Promise<T> {
    try {
      return await insert();
    } catch (error) {
      if (!isQuotaError(error) || (await this.deleteExpired(workspaceId)) === 0) throw error;
      return insert();
    }
  }

  private async roomOf(workspaceId: string): Promise<number> {
    const { workspaceFileBytes: limit, maxFileBytes } = this.config;
    const used = async (): Promise<number> => (await this.table.usage(workspaceId)).bytes;
    const room = limit - (await used());
    if (limit === 0 || room >= maxFileBytes) return room;
    return (await this.deleteExpired(workspaceId)) === 0 ? room : limit - (await used());
  }

  private async deleteExpired(workspaceId: string): Promise<number> {
    const expired = await this.table.markExpired(workspaceId, this.config.retentionDays, MAX_EXPIRED_AT_ONCE);
    await this.contents.remove(expired);
    return expired.length;
  }

  private quotaExceeded(): DomainError {
    const limit = this.config.workspaceFileBytes;
    const detail = `The files of the workspace would be larger than ${byteText(limit)} together. Delete files, or ask the operator to raise WORKSPACE_FILE_BYTES.`;
    return new DomainError('file_quota_exceeded', detail, { extensions: { limit_bytes: limit } });
  }
}

export function fileTooLarge(limit: number): DomainError {
  const detail = `The file is larger than ${byteText(limit)}. Send a smaller file.`;
  return new DomainError('file_too_large', detail, { extensions: { limit_bytes: limit } });
}

function isQuotaError(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'file_quota_exceeded';
}
