import { Injectable } from '@nestjs/common';
import { DomainError } from '@app/kernel';
import { DatabaseHealthService, StorageAlarmService } from '@app/platform/database';
import { JobQueueService } from '@app/platform/queue';
import { WorkerStore } from '@app/runs';

interface Missing {
  part: 'database' | 'migrations' | 'queue' | 'worker';
  problem: string;
}

const RETRY_SECONDS = 2;

/** Checks the dependencies of this process, and that a worker executes runs. */
@Injectable()
export class ReadinessService {
  constructor(
    private readonly database: DatabaseHealthService,
    private readonly queue: JobQueueService,
    private readonly fleet: WorkerStore,
    private readonly storage: StorageAlarmService,
  ) {}

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
