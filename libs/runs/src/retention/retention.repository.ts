import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

const statement = (operation: string, text: string): Statement => ({ name: `run_machine_purge_${operation}`, text });

const TRACES = statement('traces', 'select last, forgotten as purged from run_machine.purge_traces($1, $2, $3, $4)');
const RUNS = statement('runs', 'select last, forgotten as purged from run_machine.purge_runs($1, $2, $3, $4)');
const EVENTS = statement('events', 'select last, forgotten as purged from events.purge_events($1, $2, $3)');
const AUDIT = statement('audit_events', 'select workspace.purge_audit_events($1, $2) as purged');
const KEYS = statement('idempotency_keys', 'select workspace.purge_idempotency_keys($1, $2) as purged');

/** A batch of a walk in the order of ids: where it has come, null at its end, and how much it has forgotten. */
export interface PurgedBatch {
  last: string | null;
  purged: number;
}

/** The gateway to what sql/purge_*.sql forgets of runs: one method, one bounded batch, one commit. */
@Injectable()
export class RetentionRepository {
  constructor(private readonly statements: Statements) {}

  /** Ids are looked at between `after` and `before`; the database's clock decides what ended more than `days` ago. */
  async purgeTraces(range: { after: string; before: string }, days: number, limit: number): Promise<PurgedBatch> {
    return this.walked(TRACES, [range.after, range.before, days, limit]);
  }

  async purgeRuns(range: { after: string; before: string }, days: number, limit: number): Promise<PurgedBatch> {
    return this.walked(RUNS, [range.after, range.before, days, limit]);
  }

  async purgeEvents(range: { after: string; before: string }, limit: number): Promise<PurgedBatch> {
    return this.walked(EVENTS, [range.after, range.before, limit]);
  }

  /** How many lines, of those that are older than the months of the log. */
  async purgeAuditEvents(before: string, limit: number): Promise<number> {
    return this.counted(AUDIT, [before, limit]);
  }

  /** How many keys that nobody is promised any more: they count for `keepMillis`. */
  async purgeIdempotencyKeys(limit: number, keepMillis: number): Promise<number> {
    return this.counted(KEYS, [limit, keepMillis]);
  }

  private async walked(operation: Statement, values: unknown[]): Promise<PurgedBatch> {
    const [row] = await this.statements.query<{ last: string | null; purged: number }>(operation, values);
    return row!;
  }

  private async counted(operation: Statement, values: unknown[]): Promise<number> {
    const [row] = await this.statements.query<{ purged: number }>(operation, values);
    return row!.purged;
  }
}
