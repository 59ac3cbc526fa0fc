import { Pool, type QueryResultRow } from 'pg';

import { redisServerIsInstalled, RedisServer } from '../../libs/platform/src/queue/testing/redis-server.js';
import { eventually } from '../support/eventually.js';
import { Ledger, type LedgerCall } from '../support/ledger.js';
import { createTestDatabase } from '../support/postgres.js';
import { endAll } from '../support/scene.js';
import type { Program } from '../support/program.js';
import { type Stack, startStack } from '../support/stack.js';
import { aToolAgent, type ToolOperationName } from '../support/tool-agents.js';
import { ChaosProxy } from './chaos-proxy.js';
import { diagnosis } from './diagnosis.js';
import { groupedBy } from './grouped-by.js';
import { findViolations } from './invariants.js';
import { OwnPostgres } from './own-postgres.js';

export interface FaultSceneOptions {
  workers?: number;
  env?: Readonly<Record<string, string>>;
  /**
   * `own` starts a Postgres server for this scene. It writes every commit to disk, and a test can kill it. `shared`
   * creates a database on the shared test server. Default: `shared`.
   */
  postgres?: 'own' | 'shared';
  /**
   * `own` starts a Redis server for this scene. `absent` simulates a Redis server that never responds. Default: the
   * queue is in Postgres.
   */
  redis?: 'own' | 'absent';
}

/** Lease of the workers in milliseconds. A dead worker is detected after this time. */
export const LEASE_MS = 2_000;
/** Environment with the default lease of the product, for workers that must survive outages and a busy machine. */
export const PATIENT = { WORKER_LEASE_MS: '15000' };
/** Time in milliseconds after which the permission of a worker to begin a call expires. It is a third of the lease. */
export const START_BUDGET_MS = Math.ceil(LEASE_MS / 3);
/**
 * Time limit in milliseconds for recovery: a lease expires, a process restarts and its runs recover, on a busy machine.
 */
export const RECOVERY = { within: 25_000 };

/** Returns whether this machine can run scenarios with a separate Redis server. Logs the reason if it cannot. */
export function canRunRedis(): boolean {
  if (redisServerIsInstalled()) return true;
  console.warn('NOT tested: faults of Redis, because there is no program redis-server');
  return false;
}

export class FaultScene {
  private readonly endsOfScenario: (() => Promise<void>)[] = [];

  private constructor(
    readonly stack: Stack,
    readonly ledger: Ledger,
    readonly network: ChaosProxy,
    private readonly database: Pool,
    private readonly own: { postgres?: OwnPostgres; redis?: RedisServer; redisNetwork?: ChaosProxy },
    private readonly ends: (() => Promise<void>)[],
  ) {}

  static async start(options: FaultSceneOptions = {}): Promise<FaultScene> {
    const ends: (() => Promise<void>)[] = [];
    const opened = async <T>(opening: Promise<T>, end: (it: T) => Promise<void>): Promise<T> => {
      const it = await opening;
      ends.push(() => end(it));
      return it;
    };
    try {
      const postgres = options.postgres === 'own' ? await opened(OwnPostgres.start(), (own) => own.stop()) : undefined;
      const { url } = postgres ?? (await opened(createTestDatabase(), (database) => database.drop()));
      const ledger = await opened(Ledger.start(), (each) => each.close());
      const network = await opened(ChaosProxy.open(url), (each) => each.close());
      const redis = options.redis === 'own' ? await opened(RedisServer.start(), (each) => each.stop()) : undefined;
      const redisNetwork = redis && (await opened(ChaosProxy.open(redis.url), (each) => each.close()));
      const redisUrl = options.redis === 'absent' ? 'redis://127.0.0.1:1' : redisNetwork?.url;
      const starting = startStack({
        databaseUrl: url,
        workers: options.workers ?? 0,
        neverReady: options.redis === 'absent',
        env: {
          LOG_LEVEL: 'info',
          EGRESS_ALLOW: ledger.egressEntry,
          DATABASE_URL: network.url,
          WORKER_LEASE_MS: String(LEASE_MS),
          ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
          ...options.env,
        },
      });
      const stack = await opened(starting, (each) => each.stop());
      const database = new Pool({ connectionString: url, max: 2, application_name: 'test' });
      database.on('error', () => undefined);
      ends.push(() => database.end());
      return new FaultScene(stack, ledger, network, database, { postgres, redis, redisNetwork }, ends);
    } catch (error) {
      await endAll(ends).catch(() => undefined);
      throw error;
    }
  }

  get postgres(): OwnPostgres {
    if (!this.own.postgres) throw new Error('This scene has no Postgres of its own.');
    return this.own.postgres;
  }

  get redis(): RedisServer {
    if (!this.own.redis) throw new Error('This scene has no Redis of its own.');
    return this.own.redis;
  }

  /** Proxy between the programs and the Redis server of the scene. */
  get redisNetwork(): ChaosProxy {
    if (!this.own.redisNetwork) throw new Error('This scene has no Redis of its own.');
    return this.own.redisNetwork;
  }

  /** Runs a scenario, and then checks all invariants. If the scenario fails, writes a report. */
  async scenario(body: () => Promise<void>): Promise<void> {
    try {
      await body();
      const violations = await findViolations(this.database);
      if (violations.length > 0) throw new Error(`Broken promises: ${JSON.stringify(violations, undefined, 1)}`);
    } catch (error) {
      console.warn(await diagnosis(this.database, this.stack.programs));
      throw error;
    } finally {
      await endAll(this.endsOfScenario.splice(0));
    }
  }

  /** Registers `end`, which is called after the scenario, even if the scenario fails. */
  atEndOfScenario(end: () => Promise<void>): void {
    this.endsOfScenario.push(end);
  }

  /** Returns a worker that runs. Starts one only if there is none. */
  async aWorker(): Promise<Program> {
    return this.stack.workers.find((worker) => !worker.hasEnded) ?? (await this.stack.addWorker());
  }

  /**
   * Waits until the assertion holds, after a worker has done what it does each hour. The programs of the scene preload
   * `hurry.mjs`.
   */
  async hourly(assertion: () => Promise<void>): Promise<void> {
    const worker = await this.aWorker();
    await eventually(async () => {
      worker.signal('SIGUSR2');
      await assertion();
    }, RECOVERY);
  }

  /** Stops the workers in order and empties the ledger. Call this between two scenarios. */
  async reset(): Promise<void> {
    await this.stack.endWorkers();
    this.ledger.reset();
  }

  /** Stops all processes and servers of the scene. Rejects if a process has exited unexpectedly. */
  stop(): Promise<void> {
    return endAll(this.ends);
  }

  /** Creates an agent that calls the ledger once for each entry, in order. Returns its id. */
  agent(name: string, ...calls: [ToolOperationName, string][]): Promise<string> {
    return this.stack.client.createAgent(aToolAgent(name, this.ledger.url, calls));
  }

  async startRuns(agent: string, count: number): Promise<string[]> {
    const runs = await Promise.all(Array.from({ length: count }, () => this.stack.client.startRun(agent)));
    return runs.map(({ id }) => id);
  }

  /** Queries the database directly. Injected faults do not affect this connection. */
  async query<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.database.query<Row>(text, values)).rows;
  }

  async locked<T>(table: string, work: () => Promise<T>): Promise<T> {
    const session = await this.database.connect();
    try {
      await session.query(`begin; lock table ${session.escapeIdentifier(table)} in access exclusive mode`);
      return await work();
    } finally {
      await session.query('rollback');
      session.release();
    }
  }

  async statuses(runs: readonly string[]): Promise<Record<string, number>> {
    const rows = await this.query<{ status: string; count: number }>(
      'select status, count(*)::integer from runs where id = any($1) group by status order by status',
      [runs],
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  /** Waits until each of the runs has ended or waits for a person. Returns the number of runs by status. */
  async settled(runs: readonly string[], { within = RECOVERY.within } = {}): Promise<Record<string, number>> {
    const statuses = await eventually(
      async () => {
        const now = await this.statuses(runs);
        if (!now.queued && !now.running) return now;
        throw new Error(`Of ${runs.length} runs some have not come to rest: ${JSON.stringify(now)}`);
      },
      { within },
    );
    const known = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    if (known !== runs.length) throw new Error(`Of ${runs.length} runs the database knows ${known}.`);
    return statuses;
  }

  callsPerRun(path: string): Map<string, LedgerCall[]> {
    return groupedBy(this.ledger.callsOf(path), (call) => call.run);
  }

  async callStates(run: string): Promise<string[]> {
    const rows = await this.query<{ line: string }>(
      `select path || ' ' || state as line from run_steps where run_id = $1 and type = 'tool_call' order by n`,
      [run],
    );
    return rows.map(({ line }) => line);
  }
}
