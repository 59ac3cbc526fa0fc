import type { Clock } from '@app/kernel';
import type { ReservedStatements, Statement } from '@app/platform/database';
import type { CallPosition, UnconfirmedCall } from './unconfirmed-call.js';

export interface Stopped {
  epoch: number;
  stoppedAt: Date;
  stoppedBy: string;
  reason: string | null;
}

export interface StoppedWithCalls extends Stopped {
  underWay: CallPosition[];
}

export interface OpenRuns {
  queued: number;
  running: number;
  waitingApproval: number;
}

const STOP: Statement = {
  name: 'run_machine_stop_workspace',
  text: `select epoch::float8 as epoch, stopped_at as "stoppedAt", stopped_by as "stoppedBy", reason, under_way as "underWay"
    from run_machine.stop_workspace($1, $2, $3, $4, $5)`,
};
const SIGNAL: Statement = { name: 'run_machine_signal_stop', text: 'select run_machine.signal_stop($1, $2)' };
const RESUME: Statement = {
  name: 'run_machine_resume_workspace',
  text: 'select run_machine.resume_workspace($1, $2, $3) as changed',
};
const IN_FLIGHT: Statement = {
  name: 'run_machine_in_flight',
  text: 'select run_id as "runId", n from run_machine.in_flight($1)',
};
const UNCONFIRMED: Statement = {
  name: 'run_machine_unconfirmed_calls',
  text: `select run_id as "runId", n, tool, scope, started_at as "startedAt", state from run_machine.unconfirmed_calls($1::jsonb)`,
};
const COUNT: Statement = {
  name: 'run_machine_count_open_runs',
  text: 'select queued, running, waiting_approval as "waitingApproval" from run_machine.count_open_runs($1, $2)',
};
const CANCEL: Statement = {
  name: 'run_machine_cancel_stopped_runs',
  text: 'select run_machine.cancel_stopped_runs($1, $2, $3, $4, $5) as cancelled',
};
const RESUME_SUSPENDED: Statement = {
  name: 'run_machine_wake_stopped_runs',
  text: 'select id from run_machine.resume_suspended_runs($1, $2) as id',
};

const CANCEL_BATCH = 200;

/** Each call can safely be repeated. */
export class WorkspaceStopsRepository {
  constructor(private readonly statements: ReservedStatements) {}

  prepare(): Promise<void> {
    return this.statements.warmUp();
  }

  /**
   * After this method resolves, no worker can commit the intent to make a call until the workspace is resumed.
   * Therefore `underWay` contains all running calls.
   */
  async stop(
    workspaceId: string,
    order: { actor: string; reason: string | null; cancelRuns: boolean; drainTimeoutMillis: number },
  ): Promise<StoppedWithCalls> {
    const { actor, reason, cancelRuns, drainTimeoutMillis } = order;
    const values = [workspaceId, actor, reason, cancelRuns, drainTimeoutMillis];
    const [row] = await this.statements.query<StoppedWithCalls>(STOP, values);
    return row!;
  }

  async signal(workspaceId: string, drainTimeoutMillis: number): Promise<void> {
    await this.statements.query(SIGNAL, [workspaceId, drainTimeoutMillis]);
  }

  async resume(workspaceId: string, { actor, reason }: { actor: string; reason: string | null }): Promise<boolean> {
    const [row] = await this.statements.query<{ changed: boolean }>(RESUME, [workspaceId, actor, reason]);
    return row!.changed;
  }

  inFlight(workspaceId: string): Promise<CallPosition[]> {
    return this.statements.query<CallPosition>(IN_FLIGHT, [workspaceId]);
  }

  async unconfirmed(calls: readonly CallPosition[]): Promise<UnconfirmedCall[]> {
    if (calls.length === 0) return [];
    const positions = calls.map(({ runId, n }) => ({ run: runId, n }));
    return this.statements.query<UnconfirmedCall>(UNCONFIRMED, [JSON.stringify(positions)]);
  }

  async countRuns(workspaceId: string, cap: number): Promise<OpenRuns> {
    const [row] = await this.statements.query<OpenRuns>(COUNT, [workspaceId, cap]);
    return row!;
  }

  /** If `unbegun` is true, cancels only runs that no worker has claimed yet. */
  async cancelRuns(
    workspaceId: string,
    { actor, reason, unbegun, limit }: { actor: string; reason: string | null; unbegun: boolean; limit: number },
  ): Promise<number> {
    const values = [workspaceId, unbegun, reason, actor, limit];
    const [row] = await this.statements.query<{ cancelled: number }>(CANCEL, values);
    return row!.cancelled;
  }

  /** Returns false if runs may be left. */
  async cancelRunsWithin(
    workspaceId: string,
    { actor, reason, unbegun }: { actor: string; reason: string | null; unbegun: boolean },
    withinMillis: number,
    clock: Clock,
  ): Promise<boolean> {
    const deadline = clock.monotonicMillis() + withinMillis;
    while (clock.monotonicMillis() < deadline) {
      const cancelled = await this.cancelRuns(workspaceId, { actor, reason, unbegun, limit: CANCEL_BATCH });
      if (cancelled === 0) return true;
    }
    return false;
  }

  async resumeSuspendedRuns(workspaceId: string, limit: number): Promise<string[]> {
    return (await this.statements.query<{ id: string }>(RESUME_SUSPENDED, [workspaceId, limit])).map((row) => row.id);
  }
}
