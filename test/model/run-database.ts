import { newId, storableJson } from '@app/kernel';
import { type BatchedStatement, createDataSource, type Statement, Statements } from '@app/platform/database';
import type { QueryResultRow } from 'pg';
import type { DataSource } from 'typeorm';
import { WorkerStore } from '../../libs/runs/src/store/worker.store.js';
import { checkInvariants, type Violation } from '../../libs/installation/src/invariants/check-invariants.js';
import type { QueueRules } from '../../libs/runs/src/records/run-commands.js';
import { RunStore } from '../../libs/runs/src/store/run.store.js';
import type { Decision } from './approval-model.js';

const LEASE_MILLIS = 3_600_000;
/**
 * Time limit of a statement and of its locks. It is far longer than that of the service, because sessions that queue for
 * a lock on a busy machine are no deadlock. Postgres itself detects deadlocks.
 */
const PATIENCE_MILLIS = 120_000;

/** Workspace and agent in which runs are started. */
export interface Place {
  workspaceId: string;
  agentId: string;
}

/** One run in the database, with all dependent rows. */
export interface ObservedRun {
  run: {
    status: string;
    attempt: number;
    owner: string | null;
    recoveries: number;
    wake: string | null;
    lastStep: number;
    stopped: boolean;
    epoch: number;
    /** Transaction that changed the status last. */
    change: string;
    /** True if the database lists the run as lost, so that it must be recovered. */
    isLost: boolean;
    endedAt: string | null;
    output: unknown;
  };
  steps: {
    n: number;
    path: string;
    try: number;
    type: string;
    effect: string | null;
    state: string;
    attempt: number;
    epoch: number;
    request: object | null;
  }[];
  approvals: { id: string; kind: string; n: number; status: string; request: object | null; said: string[] }[];
  events: Record<string, number>;
  /** Number of steps and approvals of this run that belong to another workspace. It must be 0. */
  strays: number;
}

const OBSERVE: Statement = {
  name: 'model_observe',
  text: `
    select json_build_object(
        'status', r.status, 'attempt', r.attempt, 'owner', r.worker_id, 'recoveries', r.recoveries, 'lastStep', r.step_n,
        'wake', case when r.wake_at = 'infinity' then 'held' when r.wake_at <= clock_timestamp() then 'due' when r.wake_at is not null then 'later' end,
        'stopped', w.state = 'stopped', 'epoch', w.epoch, 'change', r.change_xid::text, 'endedAt', r.ended_at, 'output', r.output,
        'isLost', exists (select from run_machine.lost_runs(1000) lost where lost.run_id = r.id)) as run,
      (select coalesce(json_agg(json_build_object('n', s.n, 'path', s.path, 'try', s.try, 'type', s.type, 'effect', s.effect,
          'state', s.state, 'attempt', s.attempt, 'epoch', s.epoch, 'request', s.request) order by s.n), '[]')
        from run_steps s where s.run_id = r.id) as steps,
      (select coalesce(json_agg(json_build_object('id', a.id, 'kind', a.kind, 'n', a.n, 'status', a.status, 'request', a.request,
          'said', array(select (d ->> 'by') || ' ' || (d ->> 'decision') from jsonb_array_elements(a.decisions) d)) order by a.id), '[]')
        from approvals a where a.run_id = r.id) as approvals,
      (select coalesce(json_object_agg(e.type, e.count), '{}')
        from (select type, count(*) from events where workspace_id = r.workspace_id and run_id = r.id group by type) e) as events,
      (select count(*)::integer from (
          select s.workspace_id from run_steps s where s.run_id = r.id
          union all select a.workspace_id from approvals a where a.run_id = r.id) filed where filed.workspace_id <> r.workspace_id) as strays
    from runs r join workspaces w on w.id = r.workspace_id where r.id = $1`,
};

/** Ends the runs of earlier sequences. Functions that search for runs must find only the run under test. */
const CLEAR: Statement = {
  name: 'model_clear',
  text: `
    with closed as (update approvals set status = 'cancelled', decided_at = clock_timestamp() where status = 'open')
    update runs set status = 'cancelled', ended_at = clock_timestamp(), worker_id = null, wake_at = null where ended_at is null`,
};

const SEED: Statement = {
  name: 'model_seed',
  text: `
    with workspace as (insert into workspaces (id, name) values ($1, 'model')),
      agent as (insert into agents (id, workspace_id, name, production_version, latest_version, webhook_secret_hash)
        values ($2, $1, 'agent', 1, 1, ''))
    insert into agent_versions (agent_id, version, workspace_id, source, source_format, definition, definition_hash, created_by)
      values ($2, 1, $1, '{}', 'json', '{}', 'hash', 'ann@example.com')`,
};

const DECIDE: Statement = {
  name: 'model_decide',
  text: `
    select verdict from run_machine.decide(p_workspace => $1, p_run => $2, p_approval => $3, p_decision => $4, p_actor => $5,
      p_groups => '{finance}', p_is_admin => true, p_comment => null, p_request => $6, p_show => '{}', p_revisions => null)`,
};

const call = (name: string, text: string): Statement => ({ name: `model_${name}`, text });
const EXPIRE = call('expire', 'select run_machine.expire_approval($1, $2) as answer');
const DUE_APPROVALS = call('due', 'select approval_id from run_machine.due_approvals(1000) where run_id = $1');
const STOP = call(
  'stop',
  `select epoch::integer as answer from run_machine.emergency_stop($1, 'ann@example.com', null, false, 0)`,
);
const IN_FLIGHT = call('in_flight', 'select n from run_machine.in_flight($1) order by n');
const RESUME = call('resume', `select run_machine.resume_workspace($1, 'ann@example.com', null) as answer`);
const WAKE_HELD = call(
  'wake_held',
  'select count(*)::integer as answer from run_machine.resume_suspended_runs($1, 100)',
);
const PARK_HELD = call('park_held', 'select run_machine.defer_stopped_runs(100) as answer');
const END_LEASE = call(
  'end_lease',
  `update workers set lease_until = clock_timestamp() - interval '1 s' where id = $1`,
);
const OVERDUE = call(
  'overdue',
  `update approvals set expires_at = clock_timestamp() - interval '1 day' where run_id = $1 and status = 'open'`,
);
const DUE_NOW = `update runs set wake_at = clock_timestamp() where id = $1 and status = 'queued' and wake_at <> 'infinity'`;
const PASS_TIME = call(
  'pass_time',
  `with steps as (update run_steps set due_at = clock_timestamp() where run_id = $1 and state = 'waiting') ${DUE_NOW}`,
);
const END_BACKOFF = call('end_backoff', DUE_NOW);

/**
 * The system under test: the SQL functions of the run state machine. The test controls when runs, waits and approvals
 * become due.
 */
export class RunDatabase {
  readonly store: RunStore;
  private readonly statements: Statements;
  private readonly workers: WorkerStore;

  private constructor(
    private readonly dataSource: DataSource,
    makesBatches: boolean,
  ) {
    this.statements = makesBatches ? new BatchesOfOne(dataSource) : new Statements(dataSource);
    this.store = new RunStore(this.statements, { idempotencyMillis: 86_400_000 });
    this.workers = new WorkerStore(this.statements);
  }

  /**
   * Opens the database. With `makesBatches`, each call of the store uses the SQL function for batches, with a batch of
   * one call.
   */
  static async open(url: string, { sessions = 1, makesBatches = false } = {}): Promise<RunDatabase> {
    const dataSource = createDataSource({ url, poolSize: sessions, applicationName: 'model' });
    const { extra } = dataSource.options as { extra: object };
    const patience = { statement_timeout: PATIENCE_MILLIS, lock_timeout: PATIENCE_MILLIS };
    dataSource.setOptions({ extra: { ...extra, ...patience } });
    return new RunDatabase(await dataSource.initialize(), makesBatches);
  }

  async close(): Promise<void> {
    await this.dataSource.destroy();
  }

  async clear(): Promise<void> {
    await this.statements.query(CLEAR, []);
  }

  async aPlace(): Promise<Place> {
    const place = { workspaceId: newId('workspace'), agentId: newId('agent') };
    await this.statements.query(SEED, [place.workspaceId, place.agentId]);
    return place;
  }

  /** Starts a run of the agent and returns its id. Returns undefined while the workspace is stopped. */
  async aRun(place: Place, rules: Partial<QueueRules> = {}): Promise<string | undefined> {
    const id = newId('run');
    const { verdict } = await this.store.create({
      ...place,
      id,
      agentName: 'agent',
      version: 1,
      pinned: false,
      mode: 'production',
      trigger: { type: 'api' },
      input: {},
      labels: {},
      initiator: 'ann@example.com',
      currency: 'EUR',
      idempotency: null,
      rules: { queueTtlMs: null, concurrency: null, ...rules },
    });
    return verdict === 'created' ? id : undefined;
  }

  async register(workerId: string): Promise<void> {
    await this.workers.register({ id: workerId, host: 'model', pid: 1 }, LEASE_MILLIS);
  }

  async endLease(workerId: string): Promise<void> {
    await this.statements.query(END_LEASE, [workerId]);
  }

  async observe(runId: string): Promise<ObservedRun> {
    const [row] = await this.statements.query<ObservedRun & Record<string, unknown>>(OBSERVE, [runId]);
    if (!row) throw new Error(`there is no run ${runId}`);
    return row;
  }

  async decide(
    { workspaceId, runId }: { workspaceId: string; runId: string },
    approvalId: string,
    said: { decision: Decision; by: string; edited: object | null },
  ): Promise<string> {
    const values = [workspaceId, runId, approvalId, said.decision, said.by, said.edited];
    const [row] = await this.statements.query<{ verdict: string }>(DECIDE, values);
    return row!.verdict;
  }

  /** Expires the approval. Returns the approvals of the run that are due, and whether the expiry had an effect. */
  async expire(runId: string, approvalId: string): Promise<{ due: string[]; expired: unknown }> {
    const due = await this.statements.query<{ approval_id: string }>(DUE_APPROVALS, [runId]);
    const expired = await this.answer(EXPIRE, [approvalId, runId]);
    return { due: due.map((row) => row.approval_id), expired };
  }

  /** Stops the workspace. Returns the epoch, and the numbers of the steps whose calls the stop reports as open. */
  async stop(workspaceId: string): Promise<{ epoch: unknown; inFlight: number[] }> {
    const epoch = await this.answer(STOP, [workspaceId]);
    const rows = await this.statements.query<{ n: number }>(IN_FLIGHT, [workspaceId]);
    return { epoch, inFlight: rows.map((row) => row.n) };
  }

  resume(workspaceId: string): Promise<unknown> {
    return this.answer(RESUME, [workspaceId]);
  }

  wakeHeld(workspaceId: string): Promise<unknown> {
    return this.answer(WAKE_HELD, [workspaceId]);
  }

  parkHeld(): Promise<unknown> {
    return this.answer(PARK_HELD, []);
  }

  async makeApprovalOverdue(runId: string): Promise<void> {
    await this.statements.query(OVERDUE, [runId]);
  }

  /** Makes a recovered run due at once. The delay after a recovery is random, so it is not part of the model. */
  async endBackoff(runId: string): Promise<void> {
    await this.statements.query(END_BACKOFF, [runId]);
  }

  async passTime(runId: string): Promise<void> {
    await this.statements.query(PASS_TIME, [runId]);
  }

  violations(): Promise<Violation[]> {
    // The grace period is so long that the invariant about overdue recoveries does not apply, because no worker
    // recovers runs in this test.
    return checkInvariants(this.statements, { graceSeconds: 3_600 });
  }

  async query<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return this.dataSource.query<Row[]>(sql, values);
  }

  private async answer(statement: Statement, values: unknown[]): Promise<unknown> {
    const [row] = await this.statements.query<{ answer: unknown }>(statement, values);
    return row?.answer;
  }
}

/**
 * Makes each call with the batch function, so that tests of single calls also test the batch functions. If the batch
 * function omits a call from its result, makes this call with the function for single calls, like the service.
 */
class BatchesOfOne extends Statements {
  override async call<Row extends QueryResultRow>(statement: BatchedStatement, call: object): Promise<Row | undefined> {
    const [row] = await this.query<Row>(statement.batch, [storableJson([call])]);
    return row ?? this.callAlone<Row>(statement, call);
  }
}
