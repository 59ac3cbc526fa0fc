import type { JsonObject, JsonValue } from '@app/kernel';
import type { OperationEffect, OperationScope } from '@app/agents/definition';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { Acceptance } from './accepted-run.js';
import type { Ending } from './engine/plan.js';
import type { RunError } from './engine/run-error.js';
import type { RunMode } from './run-status.js';
import type { StepState, StepType } from './run-step.entity.js';

/** A run that this worker owns, with the steps recorded by earlier attempts. */
export interface ClaimedRun {
  id: string;
  workspaceId: string;
  agentId: string;
  version: number;
  mode: RunMode;
  trigger: JsonObject;
  input: JsonObject;
  labels: JsonObject;
  initiator: string | null;
  /** The fencing token: writes of an older attempt change nothing. */
  attempt: number;
  /** Milliseconds that earlier attempts were running. */
  activeMs: number;
  createdAt: Date;
  steps: RecordedStep[];
}

export interface RecordedStep {
  n: number;
  path: string;
  try: number;
  type: StepType;
  state: StepState;
  output: JsonValue;
  error: RunError | null;
}

/** What became of a call. `ready` takes it back: nothing of it was sent. */
export interface StepResult {
  n: number;
  state: Extract<StepState, 'succeeded' | 'failed' | 'in_doubt' | 'cancelled' | 'ready'>;
  output?: JsonValue;
  error?: RunError;
  detail?: JsonObject;
}

/** A step for the trace that sent nothing. */
export interface StepNote {
  path: string;
  type: StepType;
  state: Extract<StepState, 'succeeded' | 'failed' | 'simulated'>;
  tool?: string;
  scope?: OperationScope;
  effect?: OperationEffect;
  request?: JsonObject;
  output?: JsonValue;
  detail?: JsonObject;
}

/** A call about to begin. `resumes` names the recorded step that has no result yet and is carried on. */
export interface StepIntent {
  path: string;
  type: 'tool_call';
  tool: string;
  scope: OperationScope;
  effect: OperationEffect;
  request: JsonObject;
  resumes?: number;
}

/** A call that has begun: `request` is what was stored, and is what must be sent. */
export interface StartedStep {
  n: number;
  path: string;
  try: number;
  request: JsonObject;
}

export interface Creation extends Omit<Acceptance, 'createdAt'> {
  /** Whether the caller asked for this very version; otherwise it must still be the production version. */
  pinned: boolean;
  idempotency: { endpoint: string; key: string; fingerprint: Buffer } | null;
}

export type CreationVerdict =
  | { verdict: 'created' | 'replayed'; runId: string; createdAt: Date }
  | { verdict: 'version_changed'; version: number }
  | { verdict: 'key_reused' | 'stopped' | 'not_found' | 'archived' | 'version_unknown' };

export type AdvanceVerdict =
  { verdict: 'ok'; epoch: string; started: StartedStep[] } | { verdict: 'stopped' | 'cancelled' | 'fenced' };

const statement = (operation: string, parameters: number): Statement => ({
  name: `run_machine_${operation}`,
  text: `select * from run_machine.${operation}(${Array.from({ length: parameters }, (_, i) => `$${i + 1}`).join(', ')})`,
});

const CREATE = statement('create_run', 14);
const CLAIM = statement('claim', 3);
const CLAIM_NEXT = statement('claim_next', 2);
const ADVANCE = statement('advance', 7);
const FINISH = statement('finish', 8);
const RELEASE = statement('release', 4);
const CANCEL = statement('cancel', 4);
const RECOVER = statement('recover', 2);
const LOST_RUNS = statement('lost_runs', 1);

/**
 * The gateway to the run state machine in sql/: one method, one function, one round trip, one commit.
 * `op` identifies a write: repeating it with the same `op` after a lost answer has no second effect.
 */
@Injectable()
export class RunJournal {
  constructor(private readonly statements: Statements) {}

  async create(run: Creation): Promise<CreationVerdict> {
    const [row] = await this.statements.query<CreationRow>(CREATE, [
      run.id,
      run.workspaceId,
      run.agentId,
      run.version,
      run.pinned,
      run.mode,
      JSON.stringify(run.trigger),
      JSON.stringify(run.input),
      JSON.stringify(run.labels),
      run.initiator,
      run.currency,
      run.idempotency?.endpoint,
      run.idempotency?.key,
      run.idempotency?.fingerprint,
    ]);
    return creationVerdict(row!);
  }

  /** Undefined when the run is not there to be had: owned by another worker, not due, ended, or its workspace stopped. */
  async claim(runId: string, workerId: string, op: string): Promise<ClaimedRun | undefined> {
    const [row] = await this.statements.query<ClaimRow>(CLAIM, [runId, workerId, op]);
    return row && claimedRun(row);
  }

  /** The run that has been due the longest, or undefined when none is. */
  async claimNext(workerId: string, op: string): Promise<ClaimedRun | undefined> {
    const [row] = await this.statements.query<ClaimRow>(CLAIM_NEXT, [workerId, op]);
    return row && claimedRun(row);
  }

  async advance(
    run: ClaimedRun,
    op: string,
    write: { results: readonly StepResult[]; notes: readonly StepNote[]; intents: readonly StepIntent[] },
  ): Promise<AdvanceVerdict> {
    const [row] = await this.statements.query<{
      verdict: AdvanceVerdict['verdict'];
      epoch: string;
      started: StartedStep[];
    }>(ADVANCE, [
      run.id,
      run.workspaceId,
      run.attempt,
      op,
      jsonList(write.results),
      jsonList(write.notes),
      jsonList(write.intents),
    ]);
    const { verdict, epoch, started } = row!;
    return verdict === 'ok' ? { verdict, epoch, started } : { verdict };
  }

  async finish(
    run: ClaimedRun,
    op: string,
    write: { results: readonly StepResult[]; notes: readonly StepNote[]; ending: Ending },
  ): Promise<'ok' | 'cancelled' | 'fenced'> {
    const { ending } = write;
    const [row] = await this.statements.query<{ verdict: 'ok' | 'cancelled' | 'fenced' }>(FINISH, [
      run.id,
      run.attempt,
      op,
      jsonList(write.results),
      jsonList(write.notes),
      ending.status,
      ending.status === 'failed' ? null : JSON.stringify(ending.output),
      ending.status === 'failed' ? JSON.stringify(ending.error) : null,
    ]);
    return row!.verdict;
  }

  /** Gives the run back between two steps, for any worker to go on with. */
  async release(run: ClaimedRun, results: readonly StepResult[]): Promise<'released' | 'cancelled' | 'fenced'> {
    const [row] = await this.statements.query<{ verdict: 'released' | 'cancelled' | 'fenced' }>(RELEASE, [
      run.id,
      run.workspaceId,
      run.attempt,
      jsonList(results),
    ]);
    return row!.verdict;
  }

  async cancel(
    workspaceId: string,
    runId: string,
    by: { reason: string | null; actor: string },
  ): Promise<'cancelled' | 'already_cancelled' | 'ended' | 'not_found'> {
    const [row] = await this.statements.query<{ verdict: 'cancelled' | 'already_cancelled' | 'ended' | 'not_found' }>(
      CANCEL,
      [workspaceId, runId, by.reason, by.actor],
    );
    return row!.verdict;
  }

  /** Ids of at most `limit` runs whose worker's lease is over. */
  async lostRuns(limit: number): Promise<string[]> {
    const rows = await this.statements.query<{ run_id: string }>(LOST_RUNS, [limit]);
    return rows.map((row) => row.run_id);
  }

  async recover(runId: string, maxRecoveries: number): Promise<'requeued' | 'failed' | 'noop'> {
    const [row] = await this.statements.query<{ verdict: 'requeued' | 'failed' | 'noop' }>(RECOVER, [
      runId,
      maxRecoveries,
    ]);
    return row!.verdict;
  }
}

interface CreationRow {
  verdict: CreationVerdict['verdict'];
  run_id: string;
  version: number;
  created_at: Date;
}

function creationVerdict(row: CreationRow): CreationVerdict {
  switch (row.verdict) {
    case 'created':
    case 'replayed':
      return { verdict: row.verdict, runId: row.run_id, createdAt: row.created_at };
    case 'version_changed':
      return { verdict: row.verdict, version: row.version };
    default:
      return { verdict: row.verdict };
  }
}

interface ClaimRow {
  id: string;
  workspace_id: string;
  agent_id: string;
  version: number;
  mode: RunMode;
  trigger: JsonObject;
  input: JsonObject;
  labels: JsonObject;
  initiator: string | null;
  attempt: number;
  active_ms: string;
  created_at: Date;
  steps: RecordedStep[];
}

function claimedRun(row: ClaimRow): ClaimedRun {
  const { workspace_id, agent_id, active_ms, created_at, ...same } = row;
  return { ...same, workspaceId: workspace_id, agentId: agent_id, activeMs: Number(active_ms), createdAt: created_at };
}

/** Null where there is nothing to write, so that the function skips that part. */
function jsonList(items: readonly object[]): string | null {
  return items.length === 0 ? null : JSON.stringify(items);
}
