import type { JsonObject, JsonValue } from '@app/kernel';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { RunError } from '../interpreter/run-error.js';
import type { Creation } from '../records/run-commands.js';
import { creationValues } from '../store/run-store-wire.js';
import type { RunStatus } from '../records/run-status.js';

const statement = (operation: string, parameters: number): Statement => ({
  name: `run_machine_${operation}`,
  text: `select * from run_machine.${operation}(${Array.from({ length: parameters }, (_, i) => `$${i + 1}`).join(', ')})`,
});

const CREATE = statement('create_child_run', 20);
const TAKE = statement('take_child_run', 3);
const TEND: Statement = {
  name: 'run_machine_tend_child_runs',
  text: 'select run_machine.sweep_child_runs($1) as cancelled',
};

/** A run that calls itself, or a ring of agents, ends here. */
const MAX_DEPTH = 5;
const BATCH = 100;
/** In one go; the next one goes on where this one ended. */
const BATCHES = 10;

/** The call of a run that asks for another one; `attempt` is the fencing token of whoever makes it. */
export interface CallingRun {
  runId: string;
  attempt: number;
  /** The same for every try of the call. */
  callKey: string;
  /** What it may spend in all, together with what it starts; null: any amount. */
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

/** Up from run to run that started it; agents call each other five deep at the most. */
const FIRST_TRIGGER: Statement = {
  name: 'run_first_trigger',
  text: `with recursive started as (
      select id, trigger, 1 as depth from runs where workspace_id = $1 and id = $2
      union all
      select r.id, r.trigger, depth + 1 from started s join runs r on r.workspace_id = $1 and r.id = s.trigger ->> 'run'
        where s.trigger ->> 'type' = 'agent' and depth < 10)
    select trigger from started order by depth desc limit 1`,
};

/** Runs that are started by runs: the gateway to their functions in sql/. */
@Injectable()
export class ChildRunStore {
  constructor(private readonly statements: Statements) {}

  /** What became of the call so far; undefined when it has started nothing. An ended child is taken note of, with its cost. */
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

  /** Starts the run that the call asks for, once. */
  async createChildRun(run: Creation, by: CallingRun): Promise<ChildVerdict> {
    const budget = by.budgetMicros === null ? null : String(by.budgetMicros);
    const values = [...creationValues(run), by.runId, by.attempt, by.callKey, MAX_DEPTH, budget];
    const [row] = await this.statements.query<{ verdict: ChildVerdict }>(CREATE, values);
    return row!.verdict;
  }

  /** Wakes parents whose children have ended and cancels children whose parents have. */
  async sweepChildRuns(signal?: AbortSignal): Promise<void> {
    for (let batch = 0; batch < BATCHES && signal?.aborted !== true; batch++) {
      const [row] = await this.statements.query<{ cancelled: number }>(TEND, [BATCH]);
      if (row!.cancelled === 0) return;
    }
  }

  /** What started the run, or the run that called its agent, or the one that called that one's. */
  async firstTriggerOf(workspaceId: string, runId: string): Promise<JsonObject> {
    const [row] = await this.statements.query<{ trigger: JsonObject }>(FIRST_TRIGGER, [workspaceId, runId]);
    return row?.trigger ?? {};
  }
}
