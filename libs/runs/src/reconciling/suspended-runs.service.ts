import { type Statement, Statements } from '@app/platform/database';
import { JobQueueService } from '@app/platform/queue';
import { Injectable } from '@nestjs/common';
import { executeRun } from '../store/run.jobs.js';

const PARK: Statement = { name: 'run_machine_defer_stopped_runs', text: 'select run_machine.defer_stopped_runs($1)' };
const CANCEL: Statement = {
  name: 'run_machine_cancel_of_stops',
  text: 'select run_machine.cancel_runs_of_stops($1) as cancelled',
};
const TO_WAKE: Statement = {
  name: 'run_machine_to_wake',
  text: 'select id from run_machine.workspaces_to_resume($1) as id',
};
const WAKE: Statement = {
  name: 'run_machine_wake',
  text: 'select id from run_machine.resume_suspended_runs($1, $2) as id',
};

const BATCH = 1_000;
const CANCEL_BATCH = 200;
/** Maximum number of batches of each kind in one sweep. The next sweep continues. */
const BATCHES = 10;
const WORKSPACES = 100;
const RINGS = 200;

/**
 * Completes stops and resumes in batches: suspends and cancels runs of stopped workspaces, and resumes suspended runs
 * of active workspaces. Each worker executes it, so the process that handled the stop or the resume is not needed.
 */
@Injectable()
export class SuspendedRunsService {
  constructor(
    private readonly statements: Statements,
    private readonly queue: JobQueueService,
  ) {}

  async sweepSuspendedRuns(signal: AbortSignal): Promise<void> {
    await this.statements.query(PARK, [BATCH]);
    await this.cancel(signal);
    for (const { id } of await this.statements.query<{ id: string }>(TO_WAKE, [WORKSPACES]))
      await this.resumeSuspendedRuns(id, signal);
  }

  private async cancel(signal: AbortSignal): Promise<void> {
    for (let batch = 0; batch < BATCHES && !signal.aborted; batch++) {
      const [row] = await this.statements.query<{ cancelled: number }>(CANCEL, [CANCEL_BATCH]);
      if (row!.cancelled === 0) return;
    }
  }

  private async resumeSuspendedRuns(workspaceId: string, signal: AbortSignal): Promise<void> {
    for (let batch = 0; batch < BATCHES && !signal.aborted; batch++) {
      const woken = await this.statements.query<{ id: string }>(WAKE, [workspaceId, BATCH]);
      for (const { id: runId } of woken.slice(0, batch === 0 ? RINGS : 0)) this.queue.enqueue(executeRun, { runId });
      if (woken.length < BATCH) return;
    }
  }
}
