import { type Statement, Statements } from '@app/platform/database';
import { JobQueueService } from '@app/platform/queue';
import { Injectable } from '@nestjs/common';
import { executeRun } from '../store/run.jobs.js';

const DEFER_STOPPED_RUNS: Statement = {
  name: 'run_machine_defer_stopped_runs',
  text: 'select run_machine.defer_stopped_runs($1)',
};
const CANCEL_STOPPED_RUNS: Statement = {
  name: 'run_machine_cancel_of_stops',
  text: 'select run_machine.cancel_runs_of_stops($1) as cancelled',
};
const WORKSPACES_TO_RESUME: Statement = {
  name: 'run_machine_workspaces_to_resume',
  text: 'select id from run_machine.workspaces_to_resume($1) as id',
};
const RESUME_RUNS: Statement = {
  name: 'run_machine_resume_suspended_runs',
  text: 'select id from run_machine.resume_suspended_runs($1, $2) as id',
};

const BATCH = 1_000;
const CANCEL_BATCH = 200;
/** Maximum number of batches in one sweep, for cancelled runs and for the resumed runs of each workspace. */
const BATCHES = 10;
const WORKSPACES = 100;
/** The poller finds the other runs. */
const IMMEDIATE_JOBS = 200;

/** Each worker executes this task, so a stop or a resume is completed even if the process that accepted it is lost. */
@Injectable()
export class SuspendedRunsService {
  constructor(
    private readonly statements: Statements,
    private readonly queue: JobQueueService,
  ) {}

  async sweepSuspendedRuns(signal: AbortSignal): Promise<void> {
    await this.statements.query(DEFER_STOPPED_RUNS, [BATCH]);
    await this.cancel(signal);
    for (const { id } of await this.statements.query<{ id: string }>(WORKSPACES_TO_RESUME, [WORKSPACES]))
      await this.resumeSuspendedRuns(id, signal);
  }

  private async cancel(signal: AbortSignal): Promise<void> {
    for (let batch = 0; batch < BATCHES && !signal.aborted; batch++) {
      const [row] = await this.statements.query<{ cancelled: number }>(CANCEL_STOPPED_RUNS, [CANCEL_BATCH]);
      if (row!.cancelled === 0) return;
    }
  }

  private async resumeSuspendedRuns(workspaceId: string, signal: AbortSignal): Promise<void> {
    for (let batch = 0; batch < BATCHES && !signal.aborted; batch++) {
      const resumed = await this.statements.query<{ id: string }>(RESUME_RUNS, [workspaceId, BATCH]);
      for (const { id: runId } of resumed.slice(0, batch === 0 ? IMMEDIATE_JOBS : 0))
        this.queue.enqueue(executeRun, { runId });
      if (resumed.length < BATCH) return;
    }
  }
}
