import { StorageAlarmService, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { FileContentsService, type IncomingContent } from './content/file-contents.service.js';
import type { StoredContent } from './records/stored-content.js';
import { type DocumentFile, DocumentFileStore } from './records/document-file.store.js';

/**
 * The bytes of documents of knowledge bases. They are stored and encrypted like files, but they are no files of the
 * workspace: no list contains them, the quota does not count them, and they stay until their document goes.
 */
@Injectable()
export class DocumentFilesService {
  constructor(
    private readonly contents: FileContentsService,
    private readonly table: DocumentFileStore,
    private readonly storage: StorageAlarmService,
  ) {}

  /**
   * Stores bytes that have no row yet. The caller calls {@link insert}, or {@link dropBytes} if it keeps them not.
   * @throws DomainError `file_refused`, `unavailable`, and the errors of the source. Then nothing is stored.
   */
  async write(workspaceId: string, content: IncomingContent): Promise<StoredContent> {
    this.storage.assertOff();
    return this.contents.write(workspaceId, content, () => undefined);
  }

  insert(
    workspaceId: string,
    content: StoredContent,
    createdBy: string | null,
    transaction: Transaction,
  ): Promise<void> {
    return this.table.insert(workspaceId, content, createdBy, transaction);
  }

  /** After the commit, nobody can read the bytes. The sweep removes them, unless {@link dropBytes} does it before. */
  async delete(workspaceId: string, ids: readonly string[], transaction: Transaction): Promise<void> {
    if (ids.length > 0) await this.table.delete(workspaceId, ids, transaction);
  }

  dropBytes(ids: readonly string[]): Promise<void> {
    return this.contents.remove(ids);
  }

  /** See {@link FileContentsService.removeAfter}. */
  dropBytesAfter(error: unknown, ids: readonly string[]): Promise<void> {
    return this.contents.removeAfter(error, ids);
  }

  async find(workspaceId: string, ids: readonly string[]): Promise<ReadonlyMap<string, DocumentFile>> {
    const rows = ids.length === 0 ? [] : await this.table.find(workspaceId, ids);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** @throws DomainError `file_missing`, `unavailable` */
  read(file: DocumentFile): Promise<Buffer> {
    return this.contents.readWhole(file, file.bytes);
  }
}
