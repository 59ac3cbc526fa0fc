import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { StorageMarkerService } from '@app/files';
import { DomainError, systemClock } from '@app/kernel';
import { DatabaseHealthService, StorageAlarmService } from '@app/platform/database';
import { Metrics } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { JobQueueService } from '@app/platform/queue';
import { WorkerStore } from '@app/runs';

interface Missing {
  part: 'database' | 'migrations' | 'queue' | 'files' | 'worker';
  problem: string;
}

const RETRY_SECONDS = 2;
const FILES_MILLIS = 10_000;

/** Health and metrics of the main thread. Also checks its dependencies, and that a worker executes runs. */
@Injectable()
export class MainThreadHealthService implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Port of the stop listener. Null while it does not listen, and if it is off. */
  stopPort: number | null = null;
  /** Workers wait for the marker of the storage, so it is written without a request, and also after the migrations. */
  private readonly marking = new PeriodicTask(systemClock, {
    everyMillis: FILES_MILLIS,
    work: () => this.markFiles(),
    onError: () => undefined,
  });

  constructor(
    private readonly database: DatabaseHealthService,
    private readonly queue: JobQueueService,
    private readonly fleet: WorkerStore,
    private readonly storage: StorageAlarmService,
    private readonly files: StorageMarkerService,
    private readonly metrics: Metrics,
  ) {}

  onApplicationBootstrap(): void {
    this.marking.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.marking.stop();
  }

  /** Returns the metrics in the Prometheus text format. */
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

  private async markFiles(): Promise<void> {
    if ((await this.files.problem({ writes: true })) === undefined) void this.marking.stop();
  }

  private async missingInDatabase(): Promise<Missing[]> {
    const { problem } = this.storage;
    if (problem !== undefined) return [{ part: 'database', problem }];
    const status = await this.database.check();
    if (!status.ok) return [{ part: status.missing, problem: status.problem }];
    const files = await this.files.problem({ writes: true });
    if (files !== undefined) return [{ part: 'files', problem: files }];
    if (await this.fleet.hasLiveWorker()) return [];
    const waiting = await this.files.problemOfWorkers();
    if (waiting !== undefined) return [{ part: 'files', problem: waiting }];
    return [{ part: 'worker', problem: 'No worker is running, so accepted runs wait. Start a worker.' }];
  }

  private async missingInQueue(): Promise<Missing[]> {
    const status = await this.queue.check();
    return status.ok ? [] : [{ part: 'queue', problem: status.problem }];
  }
}
