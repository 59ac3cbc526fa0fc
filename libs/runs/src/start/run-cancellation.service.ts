import { DomainError, isId, notFound } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { RunEntity } from '../records/run.entity.js';
import { RunStore } from '../store/run.store.js';
import { RunQueriesService } from '../read/run-queries.service.js';

@Injectable()
export class RunCancellationService {
  constructor(
    private readonly store: RunStore,
    private readonly queries: RunQueriesService,
  ) {}

  /**
   * Cancels a run that has not ended. Cancelling a cancelled run again changes nothing.
   * @throws DomainError `not_found`, `run_not_cancellable`
   */
  async cancelRun(
    workspaceId: string,
    runId: string,
    by: { reason: string | null; actor: string },
  ): Promise<RunEntity> {
    const verdict = isId('run', runId) ? await this.store.cancel(workspaceId, runId, by) : 'not_found';
    if (verdict === 'not_found') throw notFound('run', runId);
    const run = await this.queries.get(workspaceId, runId);
    if (verdict !== 'ended') return run;
    throw new DomainError(
      'run_not_cancellable',
      `The run has ended as ${run.status}; only a run that has not ended can be cancelled.`,
      {
        extensions: { run_status: run.status },
      },
    );
  }
}
