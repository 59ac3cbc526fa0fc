import { Clock, DomainError, invariant, newId } from '@app/kernel';
import { Transactions } from '@app/platform/database';
import { Inject, Injectable } from '@nestjs/common';
import { FileContentsService } from './content/file-contents.service.js';
import { FileRoomService } from './file-room.service.js';
import { type FilesConfig, filesConfig } from './files.config.js';
import { FilesService } from './files.service.js';
import { FileReferenceStore } from './records/file-reference.store.js';
import type { FileRun } from './records/file-reference.js';
import type { FileSource } from './records/file-status.js';
import type { FileEntity } from './records/file.entity.js';
import { FileRepository } from './records/file.repository.js';
import type { ByteRange } from './storage/file-storage.js';
import { type FileValue, fileValueOf } from './values/file-value.js';

export const MAX_RUN_FILES = 200;

export interface ReceivedFile {
  source: {
    type: FileSource;
    /** Absent before the run exists. */
    run?: string;
    step?: string;
  };
  filename: string;
  declaredContentType: string | undefined;
  stream: AsyncIterable<Buffer>;
  announcedBytes?: number;
  createdBy?: string | null;
  /** Set by a write that is idempotent: the id of its file. If the file exists, the bytes are not read. */
  id?: string;
}

@Injectable()
export class RunFilesService {
  constructor(
    private readonly files: FilesService,
    private readonly contents: FileContentsService,
    private readonly table: FileRepository,
    private readonly references: FileReferenceStore,
    private readonly room: FileRoomService,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    @Inject(filesConfig.KEY) private readonly config: FilesConfig,
  ) {}

  /**
   * Returns the files that the run may use, by id: it received them, or this run, a run of the same agent, its parent
   * or a child refers to them. Deleted files are among them, because recorded values need no bytes.
   */
  async usable(workspaceId: string, run: FileRun, ids: readonly string[]): Promise<ReadonlyMap<string, FileEntity>> {
    if (ids.length === 0) return new Map();
    const found = await this.references.usable(workspaceId, run, [...new Set(ids)]);
    const rows = await this.table.findAll(workspaceId, found);
    return new Map(rows.map((row) => [row.id, this.files.asOfNow(row)]));
  }

  /**
   * Returns the files in the order of the ids.
   * @throws DomainError `file_missing`
   */
  async resolve(workspaceId: string, run: FileRun, ids: readonly string[]): Promise<FileEntity[]> {
    const usable = await this.usable(workspaceId, run, ids);
    return ids.map((id) => {
      const file = usable.get(id);
      if (file?.status === 'ready') return file;
      const detail = `The run refers to no file ${id}, or the file was deleted. Nothing was sent.`;
      throw new DomainError('file_missing', detail);
    });
  }

  /**
   * See {@link FileContentsService.open}.
   * @throws DomainError `file_missing`, `unavailable`
   */
  open(file: FileEntity, range: ByteRange = { first: 0, last: file.bytes - 1 }): Promise<AsyncIterable<Buffer>> {
    return this.contents.open(file, range);
  }

  /**
   * Until a run refers to the file, it expires like an upload. The caller records the value in a step, an output or an
   * input; that makes the reference.
   * @throws DomainError `file_too_large`, `file_quota_exceeded`, `file_refused`, `unavailable`, and the errors of the
   * stream. Then nothing remains.
   */
  async store(workspaceId: string, file: ReceivedFile): Promise<FileValue> {
    return fileValueOf(await this.storeRow(workspaceId, file));
  }

  async storeRow(workspaceId: string, file: ReceivedFile): Promise<FileEntity> {
    const { run } = file.source;
    if (run !== undefined) await this.assertFewFiles(run);
    const { id } = file;
    if (id === undefined) return this.insert(workspaceId, newId('file'), file);
    // The lock keeps a second attempt of the same write from replacing the bytes of the first.
    return this.transactions.run(async (transaction) => {
      await this.table.lockId(id, transaction);
      const known = await this.table.find(workspaceId, id);
      return known ?? this.insert(workspaceId, id, file);
    });
  }

  async discard(workspaceId: string, ids: readonly string[]): Promise<void> {
    const gone = await this.table.deleteUnused(workspaceId, ids);
    await this.contents.remove(gone);
  }

  private async insert(workspaceId: string, id: string, file: ReceivedFile): Promise<FileEntity> {
    const { source, filename, declaredContentType: contentType, stream, announcedBytes = 0, createdBy = null } = file;
    const check = await this.room.sizeCheck(workspaceId);
    check(announcedBytes);
    const incoming = { source: stream, filename, contentType };
    const content = await this.contents.write(workspaceId, incoming, check, id);
    const row = {
      ...content,
      workspaceId,
      source: source.type,
      sourceRun: source.run ?? null,
      sourceStep: source.step ?? null,
      expiresAt: new Date(this.clock.now().getTime() + this.config.unusedMillis),
      createdBy,
    };
    try {
      await this.room.insert(workspaceId, () =>
        this.transactions.run((transaction) => this.room.insertRow(row, transaction)),
      );
    } catch (error) {
      await this.contents.remove([id]);
      throw error;
    }
    const inserted = await this.table.find(workspaceId, id);
    invariant(inserted, 'the row was inserted');
    return inserted;
  }

  private async assertFewFiles(runId: string): Promise<void> {
    if ((await this.references.countOf(runId)) < MAX_RUN_FILES) return;
    const detail = `The run refers to ${MAX_RUN_FILES} files already, which is the most that one run may use.`;
    throw new DomainError('file_quota_exceeded', detail);
  }
}
