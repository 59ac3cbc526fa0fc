import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { BootstrapResult } from '@app/workspace';
import { Pool, type QueryResultRow } from 'pg';

import { ApiClient } from './api-client.js';
import { freePort } from './free-port.js';
import { Program } from './program.js';

export interface StackOptions {
  databaseUrl: string;
  /** The first workspace of the database. If undefined, the stack creates a workspace. */
  workspace?: BootstrapResult;
  /** URL of the Redis server that stores the queue. Default: the queue is in the database. */
  redisUrl?: string;
  workers?: number;
  /** Additional environment variables of API and workers. They override those of the stack. */
  env?: Readonly<Record<string, string>>;
  /**
   * True if the API will never become ready, because the test runs without one of the stores. `addWorker` then does not
   * wait for the API.
   */
  neverReady?: boolean;
  nodeArguments?: (app: 'api' | 'worker') => readonly string[];
  /** Path of the `node` binary of API and workers. Default: the binary that runs this process. */
  node?: string;
}

/**
 * Settings for a short lease of workers. A dead worker is detected after nine to ten seconds. With an even shorter
 * lease, a live worker could lose its lease on a busy machine, and an idle worker would look for work more often: with
 * six seconds, it and its database took a twentieth of a CPU core.
 */
const SHORT_LEASES = {
  WORKER_LEASE_MS: '9000',
};

/** Disables rate limits, because tests send far more requests than users. */
const NO_RATE_LIMITS = { RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_TRIGGERS: '0', RATE_LIMIT_FAILED_AUTHENTICATION: '0' };

export interface Service {
  readonly workspaceId: string;
  readonly adminKey: string;
  readonly client: ApiClient;
  readonly baseUrl: string;
  readonly databaseUrl: string;
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Workers that {@link endWorkers} has not stopped yet, including workers that have exited. */
  readonly workers: WorkerProcess[];
  /**
   * Starts a worker. Resolves when the worker has its lease and the API is ready. `env` applies to this worker only.
   */
  addWorker(env?: Readonly<Record<string, string>>): Promise<WorkerProcess>;
  endWorkers(): Promise<void>;
}

export interface WorkerProcess {
  readonly pid: number;
  readonly hasEnded: boolean;
  /** Kills the process with SIGKILL, and waits for its exit. */
  kill(): Promise<void>;
}

export function stackEnvironment(databaseUrl: string): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    // Most tests need no second port. Without it, the API has no second thread.
    STOP_PORT: 'off',
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '5',
    DATA_DIR: join(tmpdir(), `aas-stack-${randomBytes(6).toString('hex')}`),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    QUEUE_PREFIX: `stack-${randomBytes(6).toString('hex')}`,
    ...NO_RATE_LIMITS,
    ...SHORT_LEASES,
  };
}

/** Starts API and workers as separate processes. The caller must always call {@link Stack.stop}. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const stack = new Stack(options, options.workspace ?? (await createWorkspace(options.databaseUrl)));
  try {
    await stack.startApi();
    await Promise.all(Array.from({ length: options.workers ?? 1 }, () => stack.addWorker()));
  } catch (error) {
    await stack.stop().catch(() => undefined);
    throw error;
  }
  return stack;
}

/**
 * Creates a workspace. Loads the module for it lazily, because this takes seconds and most databases already contain a
 * workspace.
 */
async function createWorkspace(databaseUrl: string): Promise<BootstrapResult> {
  const { newWorkspace } = await import('./new-workspace.js');
  return newWorkspace(databaseUrl);
}

export class Stack implements Service {
  readonly workspaceId: string;
  readonly adminKey: string;
  readonly client: ApiClient;
  workers: Program[] = [];
  private running: { api: Program; port: number } | undefined;
  /** All programs that were ever started. */
  readonly programs: Program[] = [];
  private readonly environment: Record<string, string>;
  private readonly database: Pool;

  constructor(
    private readonly options: StackOptions,
    first: BootstrapResult,
  ) {
    this.environment = stackEnvironment(options.databaseUrl);
    this.workspaceId = first.workspaceId;
    this.adminKey = first.key;
    this.client = new ApiClient(() => this.baseUrl, first.key);
    this.database = new Pool({ connectionString: options.databaseUrl, max: 2, application_name: 'test' });
    // Some tests stop Postgres while this pool has idle connections. Without a listener, the `error` event would end
    // the process.
    this.database.on('error', () => undefined);
  }

  get api(): Program {
    return this.current.api;
  }

  get databaseUrl(): string {
    return this.options.databaseUrl;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.current.port}`;
  }

  /** Returns the URL of the second port of the current API. Its environment must contain `STOP_PORT: '0'`. */
  async stopUrl(): Promise<string> {
    const { stop_port: port } = (await (await fetch(`${this.baseUrl}/healthz`)).json()) as { stop_port: number };
    return `http://127.0.0.1:${port}`;
  }

  /** Starts an API on a new port. When it responds, it becomes the current API. `env` applies to this API only. */
  async startApi(env: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.startApiAt(await freePort(), env);
  }

  /** Starts an API on the port of the current API, which must have been killed. */
  restartApi(): Promise<void> {
    return this.startApiAt(this.current.port);
  }

  private async startApiAt(port: number, env: Readonly<Record<string, string>> = {}): Promise<void> {
    const api = this.launch('api', 'api', { ...env, PORT: String(port) });
    await api.until(async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok, 'an answer of /healthz');
    this.running = { api, port };
  }

  async addWorker(env: Readonly<Record<string, string>> = {}): Promise<Program> {
    const worker = this.launch('worker', `worker ${this.programs.length}`, env);
    this.workers.push(worker);
    const alive = 'select from workers where pid = $1 and lease_until > clock_timestamp()';
    await worker.until(async () => (await this.query(alive, [worker.pid])).length > 0, 'its lease');
    if (this.options.neverReady) return worker;
    await this.api.until(async () => (await fetch(`${this.baseUrl}/readyz`)).ok, 'a 200 of /readyz');
    return worker;
  }

  async endWorkers(): Promise<void> {
    await Promise.all(this.workers.splice(0).map((worker) => worker.stop()));
  }

  async query<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.database.query<Row>(text, values)).rows;
  }

  /** Stops all processes. Rejects if a process has exited unexpectedly. */
  async stop(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.stop()));
    await this.database.end();
    await rm(this.environment.DATA_DIR!, { recursive: true, force: true });
    if (this.options.redisUrl !== undefined) await removeKeys(this.options.redisUrl, this.environment.QUEUE_PREFIX!);
    const problems = this.programs.map((program) => program.problem()).filter((problem) => problem !== undefined);
    if (problems.length > 0) throw new Error(problems.join('\n\n'));
  }

  private get current(): { api: Program; port: number } {
    if (!this.running) throw new Error('The api has not been started.');
    return this.running;
  }

  private launch(app: 'api' | 'worker', name: string, env: Readonly<Record<string, string>>): Program {
    const { redisUrl, nodeArguments, node } = this.options;
    const environment = {
      ...this.environment,
      ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
      ...this.options.env,
      ...env,
    };
    const program = Program.start({ name, app, environment, nodeArguments: nodeArguments?.(app), node });
    this.programs.push(program);
    return program;
  }
}

async function removeKeys(redisUrl: string, queuePrefix: string): Promise<void> {
  const { Redis } = await import('ioredis');
  const client = new Redis(redisUrl);
  for await (const keys of client.scanStream({ match: `{${queuePrefix}}:*`, count: 500 })) {
    if (Array.isArray(keys) && keys.length > 0) await client.unlink(keys as string[]);
  }
  client.disconnect();
}
