import { DocumentFilesService } from '@app/files';
import { Clock, DomainError } from '@app/kernel';
import { Transactions } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask, type WorkerTask } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { UploadBytesService } from './upload-bytes.service.js';
import { type UnmovedUpload, type UploadPosition, UploadRepository } from './upload.repository.js';

/** The first pass waits, so that workers of the previous release, which read only the rows, can end before. */
const EVERY_MILLIS = 10 * 60_000;
const BATCH = 20;
const START: UploadPosition = { sourceId: '', key: '' };

/**
 * Moves the bytes of documents that an earlier release stored in their rows into the storage of files. Several workers
 * may move the same document: one of them sets the row, and the others drop their bytes.
 */
@Injectable()
export class UploadMoveService implements WorkerTask {
  private readonly task: PeriodicTask;
  private after = START;

  constructor(
    private readonly uploads: UploadRepository,
    private readonly bytes: UploadBytesService,
    private readonly files: DocumentFilesService,
    private readonly transactions: Transactions,
    clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.task = new PeriodicTask(clock, {
      everyMillis: EVERY_MILLIS,
      waitsFirst: true,
      work: () => this.moveBatch(),
      onError: (error) => logger.warn({ err: error }, 'knowledge: moving documents into the storage failed'),
    });
  }

  start(): void {
    this.task.start();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  /** A document that the scanner refuses stays in its row. */
  async moveBatch(): Promise<'again' | 'done'> {
    const batch = await this.uploads.readUnmoved(this.after, BATCH);
    for (const upload of batch) {
      await this.move(upload);
      this.after = upload;
    }
    if (batch.length === BATCH) return 'again';
    this.after = START;
    return 'done';
  }

  private async move(upload: UnmovedUpload): Promise<void> {
    const { workspaceId, key: filename, contentType, uploadedBy } = upload;
    const content = await this.bytes.read(upload, undefined);
    if (!content) return;
    try {
      const incoming = { source: once(content), filename, contentType };
      const file = await this.files.write(workspaceId, incoming);
      const moving = this.transactions.run(async (transaction) => {
        const isMoved = await this.uploads.markMoved(upload, file.id, transaction);
        if (isMoved) await this.files.insert(workspaceId, file, uploadedBy, transaction);
        return isMoved;
      });
      const isMoved = await moving.catch(async (error: unknown) => {
        await this.files.dropBytesAfter(error, [file.id]);
        throw error;
      });
      if (!isMoved) await this.files.dropBytes([file.id]);
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind === 'unavailable') throw error;
      const { sourceId } = upload;
      this.logger.warn({ err: error, sourceId, name: filename }, 'knowledge: a document stays in the database');
    }
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
