import { type DocumentFile, DocumentFilesService } from '@app/files';
import { DomainError } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { DocumentError } from '@app/platform/extraction';
import { Injectable } from '@nestjs/common';
import { type ListedUpload, UploadRepository } from './upload.repository.js';

/** Reads the bytes of pushed documents, wherever they are. The process holds a document while it is read. */
@Injectable()
export class UploadBytesService {
  constructor(
    private readonly uploads: UploadRepository,
    private readonly files: DocumentFilesService,
  ) {}

  filesOf(workspaceId: string, uploads: readonly ListedUpload[]): Promise<ReadonlyMap<string, DocumentFile>> {
    return this.files.find(
      workspaceId,
      uploads.flatMap(({ fileId }) => fileId ?? []),
    );
  }

  /**
   * @param file the file that the upload had when it was listed
   * @returns undefined if the upload was removed
   * @throws DocumentError if the storage has lost the bytes; DomainError `unavailable`
   */
  async read(
    { workspaceId, sourceId, key }: { workspaceId: string; sourceId: string; key: string },
    file: DocumentFile | undefined,
  ): Promise<Buffer | undefined> {
    const listed = file && (await this.readOrNone(file));
    if (listed) return listed;
    // The document was replaced or moved after it was listed.
    const upload = await this.uploads.readBytes(workspaceId, sourceId, key);
    if (!upload?.fileId) return upload?.content ?? undefined;
    const current = (await this.files.find(workspaceId, [upload.fileId])).get(upload.fileId);
    const bytes = current && (await this.readOrNone(current));
    if (bytes) return bytes;
    throw new DocumentError('document_lost', 'The storage has lost the bytes of this document. Push it again.');
  }

  /** Removes the uploads of sources. Nobody can read their bytes after the commit, and the sweep of files removes them. */
  async removeAll(workspaceId: string, sourceIds: readonly string[], transaction: Transaction): Promise<void> {
    const files = await this.uploads.removeAll(workspaceId, sourceIds, transaction);
    await this.files.delete(workspaceId, files, transaction);
  }

  private async readOrNone(file: DocumentFile): Promise<Buffer | undefined> {
    try {
      return await this.files.read(file);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'file_missing') return undefined;
      throw error;
    }
  }
}
