import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

const statement = (operation: string, text: string): Statement => ({ name: `run_machine_forget_${operation}`, text });

const TRACES = statement('traces', 'select * from run_machine.purge_traces($1, $2, $3, $4)');
const RUNS = statement('runs', 'select * from run_machine.purge_runs($1, $2, $3, $4)');
const EVENTS = statement('events', 'select * from events.purge_events($1, $2, $3)');
const AUDIT = statement('audit_events', 'select workspace.purge_audit_events($1, $2) as forgotten');
const KEYS = statement('idempotency_keys', 'select workspace.purge_idempotency_keys($1, $2) as forgotten');

/** A batch of a walk in the order of ids: where it has come, null at its end, and how much it has forgotten. */
export interface Walked {
  last: string | null;
  forgotten: number;
}

/** The gateway to what sql/purge_*.sql forgets of runs: one method, one bounded batch, one commit. */
@Injectable()
export class RunForgetting {
  constructor(private readonly statements: Statements) {}

  /** Ids are looked at between `after` and `before`; the database's clock decides what ended more than `days` ago. */
  async traces(range: { after: string; before: string }, days: number, limit: number): Promise<Walked> {
    return this.walked(TRACES, [range.after, range.before, days, limit]);
  }

  async runs(range: { after: string; before: string }, days: number, limit: number): Promise<Walked> {
    return this.walked(RUNS, [range.after, range.before, days, limit]);
  }

  async events(range: { after: string; before: string }, limit: number): Promise<Walked> {
    return this.walked(EVENTS, [range.after, range.before, limit]);
  }

  /** How many lines, of those that are older than the months of the log. */
  async auditEvents(before: string, limit: number): Promise<number> {
    return this.counted(AUDIT, [before, limit]);
  }

  /** How many keys that nobody is promised any more: they count for `keepMillis`. */
  async idempotencyKeys(limit: number, keepMillis: number): Promise<number> {
    return this.counted(KEYS, [limit, keepMillis]);
  }

  private async walked(operation: Statement, values: unknown[]): Promise<Walked> {
    const [row] = await this.statements.query<{ last: string | null; forgotten: number }>(operation, values);
    return row!;
  }

  private async counted(operation: Statement, values: unknown[]): Promise<number> {
    const [row] = await this.statements.query<{ forgotten: number }>(operation, values);
    return row!.forgotten;
  }
}
