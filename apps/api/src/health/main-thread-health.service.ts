import { Injectable } from '@nestjs/common';
import { DomainError } from '@app/kernel';
import { DatabaseHealthService, StorageAlarmService } from '@app/platform/database';
import { Metrics } from '@app/platform/observability';
import { JobQueueService } from '@app/platform/queue';
import { WorkerStore } from '@app/runs';
import { ProcessHealth } from './process-health.js';

interface Missing {
  part: 'database' | 'migrations' | 'queue' | 'worker';
  problem: string;
}

const RETRY_SECONDS = 2;

/** Health and metrics of the main thread. Also checks its dependencies, and that a worker executes runs. */
@Injectable()
export class MainThreadHealthService extends ProcessHealth {
  stopPort: number | null = null;

  constructor(
    private readonly database: DatabaseHealthService,
    private readonly queue: JobQueueService,
    private readonly fleet: WorkerStore,
    private readonly storage: StorageAlarmService,
    private readonly metrics: Metrics,
  ) {
    super();
  }

  assertHealthy(): void {
    // The main thread is healthy: this code can run only if the event loop of the main thread is not blocked.
  }

  renderMetrics(): Promise<{ contentType: string; text: string }> {
    return this.metrics.render();
  }

  /** @throws DomainError `unavailable`. Its extension `missing` lists the parts that are not ready, with reasons. */
  async assertReady(): Promise<void> {
    const missing = (await Promise.all([this.missingInDatabase(), this.missingInQueue()])).flat();
    if (missing.length === 0) return;
    const parts = missing.map((each) => each.part).join(', ');
    throw new DomainError('unavailable', `Not ready: ${parts}. ${missing.map((each) => each.problem).join(' ')}`, {
      retryAfterSeconds: RETRY_SECONDS,
      extensions: { missing },
    });
  }

  private async missingInDatabase(): Promise<Missing[]> {
    const { problem } = this.storage;
    if (problem !== undefined) return [{ part: 'database', problem }];
    const status = await this.database.check();
    if (!status.ok) return [{ part: status.missing, problem: status.problem }];
    if (await this.fleet.hasLiveWorker()) return [];
    return [{ part: 'worker', problem: 'No worker is running, so accepted runs wait. Start a worker.' }];
  }

  private async missingInQueue(): Promise<Missing[]> {
    const status = await this.queue.check();
    return status.ok ? [] : [{ part: 'queue', problem: status.problem }];
  }
}
