import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

const statement = (operation: string, text: string): Statement => ({ name: `run_machine_purge_${operation}`, text });

const TRACES = statement(
  'traces',
  'select last, purged from run_machine.purge_traces($1, $2, $3, $4) as t(last, purged)',
);
const RUNS = statement('runs', 'select last, purged from run_machine.purge_runs($1, $2, $3, $4) as t(last, purged)');
const DRAFTS = statement('drafts', 'select last, purged from run_machine.purge_drafts($1, $2) as t(last, purged)');
const EVENTS = statement('events', 'select last, purged from events.purge_events($1, $2, $3) as t(last, purged)');
const AUDIT = statement('audit_events', 'select workspace.purge_audit_events($1, $2) as purged');
const STATE = statement('state', 'select run_machine.purge_state($1) as purged');
const KEYS = statement('idempotency_keys', 'select workspace.purge_idempotency_keys($1, $2) as purged');

const MCP_ACCESS = statement('mcp_access', 'select workspace.purge_mcp_access($1) as purged');

/**
 * `last` is the last id that the batch examined, after which the next batch continues. It is null if no ids are left.
 */
export interface PurgedBatch {
  last: string | null;
  purged: number;
}

/** Each method purges one batch of limited size in one commit. */
@Injectable()
export class RetentionRepository {
  constructor(private readonly statements: Statements) {}

  /** Purges the traces of the runs that ended more than `days` ago by the clock of the database. */
  async purgeTraces(range: { after: string; before: string }, days: number, limit: number): Promise<PurgedBatch> {
    return this.walked(TRACES, [range.after, range.before, days, limit]);
  }

  async purgeRuns(range: { after: string; before: string }, days: number, limit: number): Promise<PurgedBatch> {
    return this.walked(RUNS, [range.after, range.before, days, limit]);
  }

  async purgeDrafts(after: string, limit: number): Promise<PurgedBatch> {
    return this.walked(DRAFTS, [after, limit]);
  }

  async purgeEvents(range: { after: string; before: string }, limit: number): Promise<PurgedBatch> {
    return this.walked(EVENTS, [range.after, range.before, limit]);
  }

  /**
   * Purges audit events with ids below `before` from the oldest table partition, which contains the events from before
   * the first monthly partition. Other code drops whole monthly partitions.
   */
  async purgeAuditEvents(before: string, limit: number): Promise<number> {
    return this.counted(AUDIT, [before, limit]);
  }

  /** Purges idempotency keys that are older than `keepMillis` plus one hour. */
  async purgeIdempotencyKeys(limit: number, keepMillis: number): Promise<number> {
    return this.counted(KEYS, [limit, keepMillis]);
  }

  /** Purges requests, tokens and keys of MCP clients that have ended. Returns the number of purged rows. */
  async purgeMcpAccess(limit: number): Promise<number> {
    return this.counted(MCP_ACCESS, [limit]);
  }

  async purgeState(limit: number): Promise<number> {
    return this.counted(STATE, [limit]);
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
