import { Clock } from '@app/kernel';
import { LOGGER, type Logger, Metrics } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { FileContentsService } from './content/file-contents.service.js';
import { type FilesConfig, filesConfig } from './files.config.js';
import { FileLinkStore } from './records/file-link.store.js';
import { FileRepository } from './records/file.repository.js';
import { FileStorage } from './storage/file-storage.js';

const HOUR_MILLIS = 3_600_000;
const BATCH = 200;
/** Days for which the row of a deleted file stays. */
const DELETED_DAYS = 30;
/** Bytes without a row stay for this time, because an upload whose row is still missing may be in progress. */
const MIN_ORPHAN_AGE_MILLIS = 24 * HOUR_MILLIS;

/** Several workers may do this at the same time. */
@Injectable()
export class FileSweepService extends PeriodicTask {
  private readonly removed: ReturnType<typeof removedCounter>;

  constructor(
    private readonly table: FileRepository,
    private readonly links: FileLinkStore,
    private readonly contents: FileContentsService,
    private readonly storage: FileStorage,
    clock: Clock,
    metrics: Metrics,
    @Inject(filesConfig.KEY) private readonly config: FilesConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(clock, {
      everyMillis: HOUR_MILLIS,
      work: (signal) => this.sweep(signal),
      onError: (error) => logger.warn({ err: error }, 'files: the sweep failed'),
    });
    this.removed = removedCounter(metrics);
  }

  async sweep(signal?: AbortSignal): Promise<void> {
    const sparedBefore = await this.table.sparedBefore();
    await this.deleteExpired(sparedBefore === null, signal);
    while ((await this.table.purgeDeleted(DELETED_DAYS, BATCH)) === BATCH) signal?.throwIfAborted();
    while ((await this.links.deleteExpired(BATCH)) === BATCH) signal?.throwIfAborted();
    await this.removeOrphans(sparedBefore, signal);
  }

  /** Bytes that it does not remove become orphans. */
  private async deleteExpired(removes: boolean, signal?: AbortSignal): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const expired = await this.table.markExpired(null, this.config.retentionDays, BATCH);
      if (removes) await this.contents.remove(expired);
      this.removed.inc({ kind: 'expired' }, expired.length);
      if (expired.length < BATCH) return;
    }
  }

  /** @param sparedBefore older bytes stay, because the rows of a former database may need them; null if none stay */
  private async removeOrphans(sparedBefore: Date | null, signal?: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - MIN_ORPHAN_AGE_MILLIS);
    await this.storage.removeIncomplete(before);
    const old: string[] = [];
    for await (const { name, modifiedAt } of this.storage.list()) {
      signal?.throwIfAborted();
      if (modifiedAt >= before || (sparedBefore !== null && modifiedAt < sparedBefore)) continue;
      old.push(name);
      if (old.length === BATCH) await this.removeUnless(old.splice(0));
    }
    await this.removeUnless(old);
  }

  private async removeUnless(old: readonly string[]): Promise<void> {
    const needed = await this.table.ready(old);
    const orphans = old.filter((id) => !needed.has(id));
    await this.contents.remove(orphans);
    this.removed.inc({ kind: 'orphan' }, orphans.length);
  }
}

function removedCounter(metrics: Metrics) {
  return metrics.counter({
    name: 'aas_files_removed_total',
    help: 'Files whose bytes this process has removed: expired files, and orphan bytes without a row.',
    labels: ['kind'],
  });
}
