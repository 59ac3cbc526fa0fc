import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

const REGISTER: Statement = {
  name: 'run_machine_register',
  text: 'select run_machine.register_worker($1, $2, $3, $4)',
};
const HEARTBEAT: Statement = {
  name: 'run_machine_heartbeat',
  text: `select b.alive, b.lost, array(select run_machine.stopped_runs($3)) as stopped from run_machine.heartbeat($1, $2, $3, $4) b`,
};
const STOPPED: Statement = {
  name: 'run_machine_stopped_runs',
  text: 'select id from run_machine.stopped_runs($1) as id',
};
const RELEASE_OWNERSHIP: Statement = {
  name: 'run_machine_release_ownership',
  text: 'select * from run_machine.release_ownership($1, $2, $3, $4)',
};
const RETIRE: Statement = { name: 'run_machine_retire', text: 'select run_machine.retire_worker($1)' };
const ANY_ALIVE: Statement = {
  name: 'workers_any_alive',
  text: 'select exists (select from workers where lease_until > clock_timestamp()) as alive',
};

/** Stores the leases of the worker processes, by the clock of the database. */
@Injectable()
export class WorkerStore {
  constructor(private readonly statements: Statements) {}

  async register(worker: { id: string; host: string; pid: number }, leaseMillis: number): Promise<void> {
    await this.statements.query(REGISTER, [worker.id, worker.host, worker.pid, leaseMillis]);
  }

  /** If `alive` is false, the lease has expired, and other workers may have claimed its runs. */
  async heartbeat(
    workerId: string,
    leaseMillis: number,
    runs: readonly { id: string; attempt: number }[],
  ): Promise<{ alive: boolean; lost: string[]; stopped: string[] }> {
    const [row] = await this.statements.query<{ alive: boolean; lost: string[]; stopped: string[] }>(HEARTBEAT, [
      workerId,
      leaseMillis,
      runs.map((run) => run.id),
      runs.map((run) => run.attempt),
    ]);
    return row!;
  }

  /** Their workspace is stopped, and the time for running calls to finish has passed. */
  async stopped(runIds: readonly string[]): Promise<string[]> {
    const rows = await this.statements.query<{ id: string }>(STOPPED, [runIds]);
    return rows.map((row) => row.id);
  }

  /** See sql/release_ownership.sql. */
  async releaseOwnership(
    workerId: string,
    inHand: readonly { id: string }[],
    { olderMillis, maxRecoveries }: { olderMillis: number; maxRecoveries: number },
  ): Promise<{ runId: string; verdict: 'requeued' | 'failed' }[]> {
    const ids = inHand.map((run) => run.id);
    const values = [workerId, ids, olderMillis, maxRecoveries];
    const rows = await this.statements.query<{ run_id: string; verdict: 'requeued' | 'failed' }>(
      RELEASE_OWNERSHIP,
      values,
    );
    return rows.map((row) => ({ runId: row.run_id, verdict: row.verdict }));
  }

  async retire(workerId: string): Promise<void> {
    await this.statements.query(RETIRE, [workerId]);
  }

  async hasLiveWorker(): Promise<boolean> {
    const [row] = await this.statements.query<{ alive: boolean }>(ANY_ALIVE, []);
    return row!.alive;
  }
}
