import { Clock, errorText } from '@app/kernel';
import { Transactions } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { FileStorageStore } from './records/file-storage.store.js';
import { FileStorage } from './storage/file-storage.js';

/** Milliseconds for which the result of a check is reused. A failed check is repeated by the next call. */
const REUSE_MILLIS = 5_000;
const RETRY_MILLIS = 500;

const NOT_MARKED = 'No api has marked the storage of files yet.';
const OTHER =
  'The storage of files is not the one of this installation. Give all processes the same DATA_DIR or the same bucket (docs/files.md).';

/**
 * Proves that this process uses the storage of the other processes: a marker in the storage has the id of the
 * installation, which is in the database. The first api writes the marker. It is never written again, because an empty
 * storage that was marked before is another one.
 */
@Injectable()
export class StorageMarkerService {
  private checked: { at: number; problem: Promise<string | undefined> } | undefined;
  private wasSeen = false;

  constructor(
    private readonly storage: FileStorage,
    private readonly table: FileStorageStore,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * A storage or a database that does not answer is no problem here if the process has seen the marker before. Never
   * rejects.
   * @param writes whether the process may write the marker of a new installation
   */
  problem({ writes }: { writes: boolean }): Promise<string | undefined> {
    const now = this.clock.monotonicMillis();
    if (this.checked && now - this.checked.at < REUSE_MILLIS) return this.checked.problem;
    const checked = { at: now, problem: this.check(writes) };
    this.checked = checked;
    void checked.problem.then((problem) => {
      if (problem !== undefined && this.checked === checked) this.checked = undefined;
    });
    return checked.problem;
  }

  async seen(): Promise<void> {
    for (;;) {
      const problem = await this.check(false);
      if (problem === undefined) return;
      if (problem !== NOT_MARKED) await this.table.reportUnseen().catch(() => undefined);
      await this.clock.sleep(problem === NOT_MARKED ? RETRY_MILLIS : REUSE_MILLIS);
    }
  }

  /** Never rejects. */
  async problemOfWorkers(): Promise<string | undefined> {
    const isUnseen = await this.table.isUnseen().catch(() => false);
    return isUnseen ? 'A worker waits, because it does not see the storage of files of this api.' : undefined;
  }

  private async check(writes: boolean): Promise<string | undefined> {
    try {
      const record = await this.table.find();
      if (!record?.isMarked && !writes) return NOT_MARKED;
      const { installationId, marker } = record?.isMarked
        ? { ...record, marker: await this.storage.readMarker() }
        : await this.write();
      if (marker === installationId) {
        this.wasSeen = true;
        return undefined;
      }
      this.logger.error({ marker, installationId }, 'files: the storage is not the one of this installation');
      return OTHER;
    } catch (error) {
      if (this.wasSeen) return undefined;
      return `The storage of files does not answer: ${errorText(error)}`;
    }
  }

  private async write(): Promise<{ installationId: string; marker: string }> {
    // In the transaction below, the id would be lost with the connection, and the marker would fit no installation.
    await this.table.addIfMissing();
    return this.transactions.run(async (transaction) => {
      const { installationId } = await this.table.lock(transaction);
      let marker = await this.storage.readMarker();
      if (marker === undefined) await this.storage.writeMarker((marker = installationId));
      if (marker === installationId) await this.table.setMarked(transaction);
      return { installationId, marker };
    });
  }
}
