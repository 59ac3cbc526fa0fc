import { newId } from '@app/kernel';
import { type DueWork, type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { DueSchedule, FireDecision } from './fire-decision.js';

interface DueRow {
  workspace_id: string;
  agent_id: string;
  trigger_id: string;
  cron: string;
  timezone: string;
  catch_up: 'none' | 'last';
  fire_at: Date | null;
  active_since: Date;
  generation: string;
  now: Date;
}

export const DUE_SCHEDULES: DueWork = {
  name: 'schedules',
  isDue: 'exists (select from triggers t where t.due_at <= statement_timestamp())',
};

const DUE: Statement = {
  name: 'run_machine_due_schedules',
  text: 'select * from triggers.due_schedules($1, $2)',
};
const PLAN: Statement = {
  name: 'run_machine_plan_schedule',
  text: 'select triggers.plan_schedule($1, $2, $3, $4, $5::timestamptz, $6, $7, $8)',
};

@Injectable()
export class ScheduleStore {
  constructor(private readonly statements: Statements) {}

  async due(limit: number, leaseMillis: number): Promise<DueSchedule[]> {
    const rows = await this.statements.query<DueRow>(DUE, [limit, leaseMillis]);
    return rows.map((row) => ({
      workspaceId: row.workspace_id,
      agentId: row.agent_id,
      triggerId: row.trigger_id,
      cron: row.cron,
      timezone: row.timezone,
      catchUp: row.catch_up,
      fireAt: row.fire_at,
      activeSince: row.active_since,
      generation: row.generation,
      now: row.now,
    }));
  }

  async plan(
    { workspaceId, agentId, triggerId, fireAt, generation }: DueSchedule,
    { missed, next }: Extract<FireDecision, { kind: 'plan' }>,
  ): Promise<void> {
    const reason = missed && `The fire time ${missed.toISOString()} was missed (catch_up: none).`;
    const values = [workspaceId, agentId, triggerId, fireAt, generation, next, newId('event'), reason];
    await this.statements.query(PLAN, values);
  }
}
