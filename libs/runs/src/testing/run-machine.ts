import { randomUUID } from 'node:crypto';
import { type JsonObject, newId } from '@app/kernel';
import { createDataSource, Statements } from '@app/platform/database';
import type { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { ApprovalStore } from '../approvals/approval.store.js';
import { ADMINS_DECIDE } from '../interpreter/policy.js';
import { WorkerStore } from '../store/worker.store.js';
import type { ClaimedRun, Creation, Gate, StepIntent } from '../records/run-commands.js';
import { RunStore } from '../store/run.store.js';

const KEYS = { idempotencyMillis: 86_400_000 };

/** The run state machine on its own test database, with one workspace and one agent. */
export class RunMachine {
  readonly store: RunStore;
  readonly approvals: ApprovalStore;
  readonly workers: WorkerStore;
  readonly workspaceId = newId('workspace');
  readonly agentId = newId('agent');

  private created: TestDatabase | undefined;

  private constructor(
    private readonly dataSource: DataSource,
    readonly databaseUrl: string,
  ) {
    const statements = new Statements(dataSource);
    this.store = new RunStore(statements, KEYS);
    this.approvals = new ApprovalStore(statements);
    this.workers = new WorkerStore(statements);
  }

  static async open(databaseUrl: string, { poolSize = 4 } = {}): Promise<RunMachine> {
    const dataSource = createDataSource({ url: databaseUrl, poolSize, applicationName: 'test' });
    await dataSource.initialize();
    const machine = new RunMachine(dataSource, databaseUrl);
    await machine.seed();
    return machine;
  }

  /** Creates a database, which {@link close} drops. */
  static async create(settings: { poolSize?: number } = {}): Promise<RunMachine> {
    const database = await createTestDatabase();
    const machine = await RunMachine.open(database.url, settings);
    machine.created = database;
    return machine;
  }

  async close(): Promise<void> {
    await this.dataSource.destroy();
    await this.created?.drop();
  }

  async query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return await this.dataSource.query<Row[]>(text, values);
  }

  /** Simulates another process on the same database. The two stores never share a commit. */
  inOtherProcess(env = KEYS): Pick<RunMachine, 'store'> {
    return { store: new RunStore(this.newStatements(), env) };
  }

  /** Creates a `Statements` that simulates another process, whose calls never share a batch with calls of this one. */
  newStatements(): Statements {
    return new Statements(this.dataSource);
  }

  aCreation(overrides: Partial<Creation> = {}): Creation {
    return {
      id: newId('run'),
      workspaceId: this.workspaceId,
      agentId: this.agentId,
      agentName: 'agent',
      version: 1,
      pinned: false,
      mode: 'production',
      trigger: { type: 'api' },
      input: { order: 1 },
      labels: {},
      initiator: 'ann@example.com',
      currency: 'EUR',
      idempotency: null,
      rules: { queueTtlMs: null, concurrency: null },
      ...overrides,
    };
  }

  async aQueuedRun(overrides: Partial<Creation> = {}): Promise<string> {
    const creation = this.aCreation(overrides);
    await this.store.create(creation);
    return creation.id;
  }

  async aWorker(leaseMillis = 60_000): Promise<string> {
    const id = `worker-${randomUUID()}`;
    await this.workers.register({ id, host: 'test', pid: 1 }, leaseMillis);
    return id;
  }

  async aClaimedRun(overrides: Partial<Creation> = {}): Promise<ClaimedRun> {
    const runId = await this.aQueuedRun(overrides);
    const claimed = await this.store.claim(runId, await this.aWorker(), randomUUID());
    if (!claimed) throw new Error(`the run ${runId} could not be claimed`);
    return claimed;
  }

  /** Lets the lease of the worker expire, as if its process were suspended or killed. */
  async endLease(workerId: string): Promise<void> {
    await this.query(`update workers set lease_until = clock_timestamp() - interval '1 second' where id = $1`, [
      workerId,
    ]);
  }

  async statusOf(runId: string): Promise<string> {
    const [row] = await this.query<{ status: string }>('select status from runs where id = $1', [runId]);
    if (!row) throw new Error(`there is no run ${runId}`);
    return row.status;
  }

  /** Returns the trace of the run, with one text `n path state` for each step. */
  async stepsOf(runId: string): Promise<string[]> {
    const rows = await this.query<{ line: string }>(
      `select n || ' ' || coalesce(nullif(path, ''), type) || ' ' || state as line from run_steps where run_id = $1 order by n`,
      [runId],
    );
    return rows.map((row) => row.line);
  }

  private async seed(): Promise<void> {
    await this.query('insert into workspaces (id, name) values ($1, $2)', [this.workspaceId, 'Test']);
    await this.query(
      `insert into agents (id, workspace_id, name, production_version, latest_version, webhook_secret_hash)
       values ($1, $2, 'agent', 1, 1, '')`,
      [this.agentId, this.workspaceId],
    );
    await this.addVersion(1);
  }

  async addVersion(version: number, definition: JsonObject = {}): Promise<void> {
    await this.query(
      `insert into agent_versions (agent_id, version, workspace_id, source, source_format, definition, definition_hash, created_by)
       values ($1, $2, $3, '{}', 'json', $4, 'hash', 'ann@example.com')`,
      [this.agentId, version, this.workspaceId, definition],
    );
    await this.query('update agents set latest_version = $2 where id = $1', [this.agentId, version]);
  }
}

export type CallIntent = StepIntent & { type: 'tool_call' };

export function anIntent(path: string, overrides: Partial<CallIntent> = {}): CallIntent {
  return { path, type: 'tool_call', tool: 'shop.get', scope: 'read', effect: 'read', request: { path }, ...overrides };
}

export const aWrite = (path: string): CallIntent =>
  anIntent(path, { tool: 'shop.pay', scope: 'write', effect: 'at_most_once' });

/** Returns the request for an approval. By default, one member of the group `finance` must decide within an hour. */
export function aGate({
  rule,
  ...overrides
}: Partial<Omit<Gate, 'rule'>> & { rule?: Partial<Gate['rule']> } = {}): Gate {
  return {
    kind: 'tool_call',
    policy: 'big-refund',
    reason: 'request.amount > 100.0',
    rule: { ...ADMINS_DECIDE, name: 'finance', approvers: ['finance'], timeoutMs: 3_600_000, ...rule },
    onReject: 'fail',
    handOffTo: ['support-tier2'],
    failureIsHandled: false,
    show: { 'request.amount': 900 },
    ...overrides,
  };
}
