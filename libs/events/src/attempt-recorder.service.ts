import { Clock } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { type AttemptRecord, DeliveryOutboxRepository } from './delivery-outbox.repository.js';
import { FailingEndpointsService } from './failing-endpoints.service.js';

const BATCH = 128;
const PAUSE_AFTER_FAILURE_MILLIS = 500;
/** Time in milliseconds during which results are collected before they are recorded in one batch. */
const GATHER_MILLIS = 20;

interface Entry {
  record: AttemptRecord;
  written: () => void;
}

/** Results that arrive during a write form the next batch. */
@Injectable()
export class AttemptRecorderService {
  private readonly entries: Entry[] = [];
  private writing: Promise<void> | undefined;
  private readonly closing = new AbortController();

  constructor(
    private readonly outbox: DeliveryOutboxRepository,
    private readonly failing: FailingEndpointsService,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** A delivery whose record was dropped is claimed and sent again later. */
  add(record: AttemptRecord): Promise<void> {
    return new Promise((written) => {
      this.entries.push({ record, written });
      this.writing ??= this.write().finally(() => (this.writing = undefined));
    });
  }

  /** If a write fails, its batch is dropped. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.writing;
  }

  private async write(): Promise<void> {
    while (this.entries.length > 0) {
      if (this.entries.length < BATCH) await this.clock.sleep(GATHER_MILLIS, this.closing.signal);
      const batch = this.entries.splice(0, BATCH);
      if (!(await this.isWritten(batch)) && !this.closing.signal.aborted) {
        this.entries.unshift(...batch);
        await this.clock.sleep(PAUSE_AFTER_FAILURE_MILLIS, this.closing.signal);
        continue;
      }
      for (const { written } of batch) written();
    }
  }

  private async isWritten(batch: readonly Entry[]): Promise<boolean> {
    try {
      const records = batch.map(({ record }) => record);
      await this.failing.disableAll(await this.outbox.record(records, FailingEndpointsService.MAX_FAILURE_MILLIS));
      return true;
    } catch (error) {
      this.logger.warn({ err: error, attempts: batch.length }, 'webhooks: failed to record delivery attempts');
      return false;
    }
  }
}
