import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

const REGISTER: Statement = {
  name: 'run_machine_register',
  text: 'select run_machine.register_worker($1, $2, $3, $4)',
};
const BEAT: Statement = {
  name: 'run_machine_beat',
  text: `select b.alive, b.lost, array(
      select r.id from runs r join workspaces w on w.id = r.workspace_id and w.state = 'stopped' where r.id = any ($3)) as stopped
    from run_machine.beat($1, $2, $3, $4) b`,
};
const DISOWN: Statement = { name: 'run_machine_disown', text: 'select run_machine.disown($1, $2, $3) as disowned' };
const RETIRE: Statement = { name: 'run_machine_retire', text: 'select run_machine.retire_worker($1)' };
const ANY_ALIVE: Statement = {
  name: 'workers_any_alive',
  text: 'select exists (select from workers where lease_until > clock_timestamp()) as alive',
};

/** The leases of the worker processes, by the database's clock. */
@Injectable()
export class Fleet {
  constructor(private readonly statements: Statements) {}

  async register(worker: { id: string; host: string; pid: number }, leaseMillis: number): Promise<void> {
    await this.statements.query(REGISTER, [worker.id, worker.host, worker.pid, leaseMillis]);
  }

  /**
   * Extends the lease. `alive` false: it was over, others may have the worker's runs. `lost`: which of the runs named
   * (with their attempts) are no longer the worker's. `stopped`: which of them belong to a stopped workspace.
   */
  async beat(
    workerId: string,
    leaseMillis: number,
    runs: readonly { id: string; attempt: number }[],
  ): Promise<{ alive: boolean; lost: string[]; stopped: string[] }> {
    const [row] = await this.statements.query<{ alive: boolean; lost: string[]; stopped: string[] }>(BEAT, [
      workerId,
      leaseMillis,
      runs.map((run) => run.id),
      runs.map((run) => run.attempt),
    ]);
    return row!;
  }

  /** Gives up runs that the worker owns and does not have in its hands, so that they are recovered; how many it was. */
  async disown(workerId: string, inHand: readonly { id: string }[], olderMillis: number): Promise<number> {
    const ids = inHand.map((run) => run.id);
    const [row] = await this.statements.query<{ disowned: number }>(DISOWN, [workerId, ids, olderMillis]);
    return row!.disowned;
  }

  async retire(workerId: string): Promise<void> {
    await this.statements.query(RETIRE, [workerId]);
  }

  /** Whether any worker could take a run now. */
  async hasLiveWorker(): Promise<boolean> {
    const [row] = await this.statements.query<{ alive: boolean }>(ANY_ALIVE, []);
    return row!.alive;
  }
}
