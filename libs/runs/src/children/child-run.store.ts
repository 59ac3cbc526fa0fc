import type { JsonObject, JsonValue } from '@app/kernel';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { RunError } from '../interpreter/run-error.js';
import type { Creation } from '../records/run-commands.js';
import { creationCall } from '../store/run-store-wire.js';
import type { RunStatus } from '../records/run-status.js';

const statement = (operation: string, parameters: number): Statement => ({
  name: `run_machine_${operation}`,
  text: `select * from run_machine.${operation}(${Array.from({ length: parameters }, (_, i) => `$${i + 1}`).join(', ')})`,
});

const CREATE = statement('create_child_run', 1);
const TAKE = statement('take_child_run', 3);
const TEND: Statement = {
  name: 'run_machine_tend_child_runs',
  text: 'select run_machine.sweep_child_runs($1) as cancelled',
};

/**
 * Maximum depth of child runs. It limits the recursion of an agent that calls itself, or of agents that call each
 * other.
 */
const MAX_DEPTH = 5;
const BATCH = 100;
const BATCHES = 10;

/** `attempt` is its fencing token. */
export interface CallingRun {
  runId: string;
  attempt: number;
  callKey: string;
  /** Null if there is no limit. */
  budgetMicros: bigint | null;
}

export interface StartedChild {
  id: string;
  agentId: string;
  status: RunStatus;
  output: JsonValue;
  error: RunError | null;
}

export type ChildVerdict =
  | 'created'
  | 'replayed'
  | 'fenced'
  | 'too_deep'
  | 'budget_exceeded'
  | 'stopped'
  | 'not_found'
  | 'archived'
  | 'version_changed'
  | 'version_unknown'
  | 'conflict';

const FIRST_TRIGGER: Statement = {
  name: 'run_first_trigger',
  text: `with recursive started as (
      select id, trigger, 1 as depth from runs where workspace_id = $1 and id = $2
      union all
      select r.id, r.trigger, depth + 1 from started s join runs r on r.workspace_id = $1 and r.id = s.trigger ->> 'run'
        where s.trigger ->> 'type' = 'agent' and depth < 10)
    select trigger from started order by depth desc limit 1`,
};

@Injectable()
export class ChildRunStore {
  constructor(private readonly statements: Statements) {}

  /** If the child run has ended, adds its cost to the parent run. The cost is added only once. */
  async takeChildRun(workspaceId: string, { runId, callKey }: CallingRun): Promise<StartedChild | undefined> {
    const values = [workspaceId, runId, callKey];
    const [row] = await this.statements.query<{
      id: string;
      agent_id: string;
      status: RunStatus;
      output: JsonValue;
      error: RunError | null;
    }>(TAKE, values);
    return row && { id: row.id, agentId: row.agent_id, status: row.status, output: row.output, error: row.error };
  }

  async createChildRun(run: Creation, by: CallingRun): Promise<{ verdict: ChildVerdict; runId: string | null }> {
    const budget = by.budgetMicros === null ? null : String(by.budgetMicros);
    const call = {
      ...creationCall(run),
      parent: by.runId,
      attempt: by.attempt,
      call: by.callKey,
      max_depth: MAX_DEPTH,
      budget,
    };
    const row = await this.statements.callAlone<{ verdict: ChildVerdict; run_id: string | null }>(CREATE, call);
    return { verdict: row!.verdict, runId: row!.run_id };
  }

  async sweepChildRuns(signal?: AbortSignal): Promise<void> {
    for (let batch = 0; batch < BATCHES && signal?.aborted !== true; batch++) {
      const [row] = await this.statements.query<{ cancelled: number }>(TEND, [BATCH]);
      if (row!.cancelled === 0) return;
    }
  }

  async firstTriggerOf(workspaceId: string, runId: string): Promise<JsonObject> {
    const [row] = await this.statements.query<{ trigger: JsonObject }>(FIRST_TRIGGER, [workspaceId, runId]);
    return row?.trigger ?? {};
  }
}
