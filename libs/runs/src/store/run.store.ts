import type { FileReference } from '@app/files';
import { type IdempotencyConfig, idempotencyConfig } from '@app/workspace';
import { type BatchedStatement, type Statement, Statements } from '@app/platform/database';
import { NO_TRACING, type SpanAttributes, Tracing } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import type {
  Advance,
  AdvanceVerdict,
  ClaimedRun,
  Creation,
  CreationVerdict,
  Finish,
  IntendedStep,
  StepResult,
} from '../records/run-commands.js';
import {
  type ClaimRow,
  type CreationRow,
  creationCall,
  creationVerdict,
  foundRun,
  jsonList,
  type NoClaimRow,
  referring,
  replayMembers,
  sqlIntent,
  unlessEmpty,
} from './run-store-wire.js';
import { type RecordedAnswer, type RecordedCall, RecordedCalls, recordedRun } from '../records/recorded-calls.js';

const statement = (operation: string, parameters: number): Statement => ({
  name: `run_machine_${operation}`,
  text: `select * from run_machine.${operation}(${Array.from({ length: parameters }, (_, i) => `$${i + 1}`).join(', ')})`,
});

const batched = (operation: string): BatchedStatement => ({
  ...statement(operation, 1),
  batch: statement(`${operation}_batch`, 1),
});

const CREATE = batched('create_run');
const CREATE_REPLAY = statement('create_replay', 1);
const RECORDED_CALLS = statement('recorded_calls', 2);
const RECORDED_ANSWERS = statement('recorded_answers', 2);
const TURN_STATES = statement('turn_states', 3);
const CLAIM = batched('claim');
const CLAIM_NEXT = batched('claim_next');
const ADVANCE = batched('advance');
const FINISH = batched('finish');
const RELEASE = statement('release', 4);
const CANCEL = statement('cancel', 4);
const RECOVER = statement('recover', 2);
const LOST_RUNS = statement('lost_runs', 1);
const DEFER_UNCLAIMABLE = statement('defer_unclaimable', 2);
const NEXT_DUE: Statement = { name: 'run_machine_next_due', text: 'select run_machine.lock_next() as id' };
const ACCEPTED_AS: Statement = {
  name: 'run_machine_accepted_as',
  text: `select resource_id as "runId", fingerprint = $4 as "isSame" from idempotency_keys
    where workspace_id = $1 and endpoint = $2 and key = $3
      and created_at > clock_timestamp() - $5::bigint * interval '1 millisecond'`,
};
const CLOSE_UNREPORTED_CALLS: Statement = {
  name: 'run_machine_close_lost_calls',
  text: 'select run_machine.close_unreported_calls($1, $2) as closed',
};
const EXPIRE_QUEUED: Statement = {
  name: 'run_machine_expire_queued',
  text: 'select run_machine.expire_queued($1) as expired',
};
const CANCEL_ARCHIVED: Statement = {
  name: 'run_machine_cancel_archived_runs',
  text: 'select run_machine.cancel_archived_runs($1, $2) as cancelled',
};
const ARCHIVED_BATCH = 200;

/** A run that loses its worker or cannot be claimed more often fails, because it is probably the cause. */
export const MAX_RECOVERIES = 5;

interface AdvanceRow {
  verdict: AdvanceVerdict['verdict'];
  epoch: string;
  steps: IntendedStep[];
}

/**
 * Each method is one function call, one round trip and one commit. Under load, concurrent calls of a function share the
 * round trip and the commit. `op` identifies a write. If a response is lost and the caller repeats the write with the
 * same `op`, the write takes effect only once.
 */
@Injectable()
export class RunStore {
  constructor(
    private readonly statements: Statements,
    @Inject(idempotencyConfig.KEY) private readonly config: IdempotencyConfig,
    private readonly tracing: Tracing = NO_TRACING,
  ) {}

  /** The spans of the run then belong to the trace of this span. */
  create(run: Creation): Promise<CreationVerdict> {
    return this.tracing.during(
      () => ({ name: 'send runs', kind: 'producer', attributes: sendAttributes(run) }),
      () => this.insert(run),
    );
  }

  private async insert(run: Creation): Promise<CreationVerdict> {
    const call = creationCall(run, this.config.idempotencyMillis);
    const { replay } = run;
    const row = replay
      ? await this.statements.callAlone<CreationRow>(CREATE_REPLAY, { ...call, ...replayMembers(replay, run.mode) })
      : await this.statements.call<CreationRow>(CREATE, call);
    return creationVerdict(row!);
  }

  /** `isSame` states whether that request had the same body. */
  async acceptedAs(
    workspaceId: string,
    { endpoint, key, fingerprint }: NonNullable<Creation['idempotency']>,
  ): Promise<{ runId: string; isSame: boolean } | undefined> {
    const values = [workspaceId, endpoint, key, fingerprint, this.config.idempotencyMillis];
    const [row] = await this.statements.query<{ runId: string; isSame: boolean }>(ACCEPTED_AS, values);
    return row;
  }

  async claim(runId: string, workerId: string, op: string): Promise<ClaimedRun | undefined> {
    return foundRun(await this.statements.call<ClaimRow | NoClaimRow>(CLAIM, { run: runId, worker: workerId, op }));
  }

  async claimNext(workerId: string, op: string): Promise<ClaimedRun | undefined> {
    return foundRun(await this.statements.call<ClaimRow | NoClaimRow>(CLAIM_NEXT, { worker: workerId, op }));
  }

  /** If the run is not such a replay, returns undefined without a round trip. */
  async recordedCalls(run: ClaimedRun): Promise<RecordedCalls | undefined> {
    const source = recordedRun(run);
    if (source === undefined) return undefined;
    const [row] = await this.statements.query<{ calls: RecordedCall[] }>(RECORDED_CALLS, [run.workspaceId, source]);
    const [answered] = await this.statements.query<{ answers: RecordedAnswer[] }>(RECORDED_ANSWERS, [
      run.workspaceId,
      source,
    ]);
    return new RecordedCalls(row!.calls, answered?.answers);
  }

  /** Omits those that were not kept. */
  async turnStates(workspaceId: string, runId: string, positions: readonly number[]): Promise<Map<number, Buffer>> {
    const values = [runId, workspaceId, positions];
    const rows = await this.statements.query<{ n: number; sealed: Buffer }>(TURN_STATES, values);
    return new Map(rows.map(({ n, sealed }) => [n, sealed]));
  }

  async advance(run: ClaimedRun, op: string, write: Advance): Promise<AdvanceVerdict> {
    const call = {
      run: run.id,
      workspace: run.workspaceId,
      attempt: run.attempt,
      op,
      results: unlessEmpty(write.results),
      notes: unlessEmpty(write.notes),
      intents: unlessEmpty(write.intents.map(sqlIntent)),
      files: unlessEmpty(write.files ?? []),
      pause_ms: write.pauseMs,
    };
    const row = await this.write<AdvanceRow>(ADVANCE, call, write.results);
    const { verdict, epoch, steps } = row!;
    return verdict === 'ok' ? { verdict, epoch, steps } : { verdict };
  }

  async finish(run: ClaimedRun, op: string, write: Finish): Promise<'ok' | 'cancelled' | 'fenced'> {
    const { outcome } = write;
    const call = {
      run: run.id,
      attempt: run.attempt,
      op,
      results: unlessEmpty(write.results),
      notes: unlessEmpty(write.notes),
      files: unlessEmpty(write.files ?? []),
      status: outcome.status,
      ...(outcome.status === 'failed' ? { error: outcome.error } : { output: outcome.output }),
    };
    const row = await this.write<{ verdict: 'ok' | 'cancelled' | 'fenced' }>(FINISH, call, write.results);
    return row!.verdict;
  }

  /**
   * A write that contains costs is not batched, because it updates a row of model_usage that all runs of an agent
   * share.
   */
  private async write<Row extends object>(
    statement: BatchedStatement,
    call: object,
    results: readonly StepResult[],
  ): Promise<Row | undefined> {
    if (results.every(({ cost }) => cost === undefined)) return this.statements.call<Row>(statement, call);
    return this.statements.callAlone<Row>(statement, call);
  }

  async release(
    run: ClaimedRun,
    results: readonly StepResult[],
    files: readonly FileReference[] = [],
  ): Promise<'released' | 'cancelled' | 'fenced'> {
    const values = [run.id, run.workspaceId, run.attempt, jsonList(results)];
    const [row] = await this.statements.query<{ verdict: 'released' | 'cancelled' | 'fenced' }>(
      ...referring(RELEASE, values, { runId: run.id, files, verdicts: ['released', 'cancelled', 'fenced'] }),
    );
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

  async nextDue(): Promise<string | undefined> {
    const [row] = await this.statements.query<{ id: string | null }>(NEXT_DUE, []);
    return row?.id ?? undefined;
  }

  /** If this has happened more than `maxRecoveries` times, fails the run. */
  async deferUnclaimable(runId: string, maxRecoveries: number): Promise<'deferred' | 'failed' | 'noop'> {
    const [row] = await this.statements.query<{ verdict: 'deferred' | 'failed' | 'noop' }>(DEFER_UNCLAIMABLE, [
      runId,
      maxRecoveries,
    ]);
    return row!.verdict;
  }

  async closeUnreportedCalls(graceMillis: number, limit: number): Promise<number> {
    const [row] = await this.statements.query<{ closed: number }>(CLOSE_UNREPORTED_CALLS, [graceMillis, limit]);
    return row!.closed;
  }

  async expireQueued(limit: number): Promise<number> {
    const [row] = await this.statements.query<{ expired: number }>(EXPIRE_QUEUED, [limit]);
    return row!.expired;
  }

  /** Each process may call this at any time. */
  async cancelRunsOfArchivedAgent(agentId: string): Promise<void> {
    while ((await this.cancelArchived(agentId)) === ARCHIVED_BATCH);
  }

  async sweepRunsOfArchivedAgents(): Promise<void> {
    await this.cancelArchived(null);
  }

  private async cancelArchived(agentId: string | null): Promise<number> {
    const values = [agentId, ARCHIVED_BATCH];
    const [row] = await this.statements.query<{ cancelled: number }>(CANCEL_ARCHIVED, values);
    return row!.cancelled;
  }
}

function sendAttributes({ id, agentId, workspaceId, trigger }: Creation): SpanAttributes {
  return {
    'messaging.operation.type': 'send',
    'messaging.destination.name': 'runs',
    'messaging.message.id': id,
    'gen_ai.agent.id': agentId,
    'aas.workspace.id': workspaceId,
    'aas.trigger.type': typeof trigger.type === 'string' ? trigger.type : undefined,
  };
}
