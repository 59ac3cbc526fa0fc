import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

const CANCEL: Statement = {
  name: 'run_machine_cancel_archived_runs',
  text: 'select run_machine.cancel_archived_runs($1, $2) as cancelled',
};

const BATCH = 200;

/** Cancels what archived agents have waiting for a worker. Anybody may do it at any time: see sql/cancel_archived_runs.sql. */
@Injectable()
export class ArchivedRuns {
  constructor(private readonly statements: Statements) {}

  async cancelOf(agentId: string): Promise<void> {
    while ((await this.cancel(agentId)) === BATCH);
  }

  /** One batch of whichever agents; the next round goes on. */
  async tend(): Promise<void> {
    await this.cancel(null);
  }

  private async cancel(agentId: string | null): Promise<number> {
    const [row] = await this.statements.query<{ cancelled: number }>(CANCEL, [agentId, BATCH]);
    return row!.cancelled;
  }
}
