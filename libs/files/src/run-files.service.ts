import { Clock, DomainError, invariant } from '@app/kernel';
import { type Transaction, Transactions } from '@app/platform/database';
import { Inject, Injectable } from '@nestjs/common';
import { FileContentsService } from './content/file-contents.service.js';
import { FileRoomService } from './file-room.service.js';
import { type FilesConfig, filesConfig } from './files.config.js';
import { FilesService } from './files.service.js';
import { FileReferenceStore } from './records/file-reference.store.js';
import type { FileRun } from './records/file-reference.js';
import type { FileSource } from './records/file-status.js';
import type { FileEntity } from './records/file.entity.js';
import { FileRepository, type NewFile } from './records/file.repository.js';
import type { ByteRange } from './storage/file-storage.js';

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
  /** Set by a write that is idempotent: its key. If the write has stored its file, the bytes are not read. */
  writeKey?: Buffer;
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
   * input; that makes the reference. No transaction is open while bytes arrive: of several attempts of one write, the
   * first row stays, and the bytes of the others are removed.
   * @throws DomainError `file_too_large`, `file_quota_exceeded`, `file_refused`, `unavailable`, and the errors of the
   * stream. Then nothing remains.
   */
  async store(workspaceId: string, file: ReceivedFile): Promise<FileEntity> {
    const { source, filename, declaredContentType: contentType, stream, announcedBytes = 0, writeKey } = file;
    if (source.run !== undefined) await this.assertFewFiles(source.run);
    const written = writeKey && (await this.table.findWritten(workspaceId, writeKey));
    if (written) return written;
    const check = await this.room.sizeCheck(workspaceId);
    check(announcedBytes);
    const content = await this.contents.write(workspaceId, { source: stream, filename, contentType }, check);
    const row: NewFile = {
      ...content,
      workspaceId,
      source: source.type,
      sourceRun: source.run ?? null,
      sourceStep: source.step ?? null,
      expiresAt: new Date(this.clock.now().getTime() + this.config.unusedMillis),
      createdBy: file.createdBy ?? null,
      writeKey: writeKey ?? null,
    };
    const insert = (): Promise<string> => this.transactions.run((transaction) => this.insertOnce(row, transaction));
    const kept = await this.room.insert(workspaceId, insert).catch(async (error: unknown) => {
      await this.contents.removeAfter(error, [content.id]);
      throw error;
    });
    if (kept !== content.id) await this.contents.remove([content.id]);
    const stored = await this.table.find(workspaceId, kept);
    invariant(stored, 'the row was inserted');
    return stored;
  }

  /**
   * Carries out work that may make a run refer to the files, and then deletes those to which none refers. If the service
   * does not know whether the work was committed, they expire like uploads instead.
   */
  async keepingReferred<T>(workspaceId: string, ids: readonly string[], work: () => Promise<T>): Promise<T> {
    let isKnown = true;
    try {
      return await work();
    } catch (error) {
      isKnown = error instanceof DomainError && error.code !== 'unavailable';
      throw error;
    } finally {
      if (isKnown && ids.length > 0) await this.discard(workspaceId, ids);
    }
  }

  async discard(workspaceId: string, ids: readonly string[]): Promise<void> {
    const gone = await this.table.deleteUnused(workspaceId, ids);
    await this.contents.remove(gone);
  }

  /** Returns the id of the file that the write has, which is another one if another attempt was first. */
  private async insertOnce(row: NewFile, transaction: Transaction): Promise<string> {
    const { workspaceId, writeKey } = row;
    const first = writeKey && (await this.table.lockWrite(workspaceId, writeKey, transaction));
    if (first) return first;
    await this.room.insertRow(row, transaction);
    return row.id;
  }

  private async assertFewFiles(runId: string): Promise<void> {
    if ((await this.references.countOf(runId)) < MAX_RUN_FILES) return;
    const detail = `The run refers to ${MAX_RUN_FILES} files already, which is the most that one run may use.`;
    throw new DomainError('file_quota_exceeded', detail);
  }
}
