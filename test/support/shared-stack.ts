import { randomBytes } from 'node:crypto';
import { newId } from '@app/kernel';
import { Pool, type QueryResultRow } from 'pg';
import { stringify } from 'yaml';
import { addKey } from './added-key.js';
import { ApiClient } from './api-client.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { modelProfiles, MODEL_API_KEY } from './model-profiles.js';
import { createTestDatabase } from './postgres.js';
import { leakIn, programArguments } from './program.js';
import { type Service, stackEnvironment, type WorkerProcess } from './stack.js';

/** Servers of a test file that the shared service calls at a fixed address. */
export const DOORS = ['models', 'spare', 'mail'] as const;
export type Door = (typeof DOORS)[number];

interface Facts {
  databaseUrl: string;
  port: number;
  environment: Record<string, string>;
}

interface KeptProgram {
  name: 'api' | 'worker';
  pid: number;
  /** How the program exited, for example `exit 0` or `SIGKILL`. Undefined while it runs. */
  exit?: string;
  log: string;
}

interface KeptStack {
  facts: Facts;
  doors: Record<Door, number>;
  programs: KeptProgram[];
}

const ADD_WORKSPACE = 'insert into workspaces (id, name) values ($1, $2)';
const ADD_MEMBER = 'insert into members (id, workspace_id, email, role) values ($1, $2, $3, $4)';
const ALIVE = 'select from workers where pid = $1 and lease_until > clock_timestamp()';
const ADMIN = 'admin@example.com';

/** A worker of a shared stack. */
class KeptWorker implements WorkerProcess {
  hasEnded = false;

  constructor(
    readonly pid: number,
    /** True if the worker has settings of one test file, so that no other file may use it. */
    readonly isSpecial = false,
  ) {}

  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Rejects if the worker does not exit in order. */
  async stop(): Promise<void> {
    const exit = await this.end('SIGTERM');
    if (exit !== undefined && exit !== 'exit 0') throw new Error(`The shared worker ended with ${exit}.`);
  }

  private async end(signal: NodeJS.Signals): Promise<string | undefined> {
    if (this.hasEnded) return undefined;
    this.hasEnded = true;
    return (await keeper<KeptProgram>('remove', { pid: this.pid, signal })).exit;
  }
}

/**
 * An API and a worker that all test files of a jest worker use, one file after the other. Each file has a workspace of
 * its own. The processes are children of `stack-keeper.mjs`.
 */
export class SharedStack implements Service {
  readonly client: ApiClient;
  workers: KeptWorker[];

  private constructor(
    private readonly kept: KeptStack,
    private readonly database: Pool,
    readonly workspaceId: string,
    readonly adminKey: string,
  ) {
    this.client = new ApiClient(() => this.baseUrl, adminKey);
    this.workers = kept.programs.filter(({ name }) => name === 'worker').map(({ pid }) => new KeptWorker(pid));
  }

  /** Joins the stack of this jest worker with a new workspace. Starts the stack if there is none. */
  static async join({ workers }: { workers: number }): Promise<SharedStack> {
    const kept = await usableStack();
    const database = new Pool({ connectionString: kept.facts.databaseUrl, max: 2, application_name: 'test' });
    const workspaceId = newId('workspace');
    const memberId = newId('member');
    await database.query(ADD_WORKSPACE, [workspaceId, `stack-${randomBytes(4).toString('hex')}`]);
    await database.query(ADD_MEMBER, [memberId, workspaceId, ADMIN, 'admin']);
    const admin = { workspaceId, memberId, name: 'first admin key', kind: 'live', role: 'admin' } as const;
    const key = await addKey({ query: async (text, values) => (await database.query(text, values)).rows }, admin);
    const stack = new SharedStack(kept, database, workspaceId, key);
    await Promise.all(stack.workers.splice(workers).map((worker) => worker.stop()));
    while (stack.workers.length < workers) await stack.addWorker();
    return stack;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.kept.facts.port}`;
  }

  get databaseUrl(): string {
    return this.kept.facts.databaseUrl;
  }

  async query<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.database.query<Row>(text, values)).rows;
  }

  async addWorker(env: Readonly<Record<string, string>> = {}): Promise<KeptWorker> {
    const { pid } = await launch('worker', { ...this.kept.facts.environment, ...env });
    const worker = new KeptWorker(pid, Object.keys(env).length > 0);
    this.workers.push(worker);
    await until(async () => {
      if ((await this.query(ALIVE, [pid])).length === 0) throw new Error('The shared worker has no lease yet.');
      await this.answers('/readyz');
    });
    return worker;
  }

  async endWorkers(): Promise<void> {
    await Promise.all(this.workers.splice(0).map((worker) => worker.stop()));
  }

  /** Lets the service reach a server of this test file. `url` is the address of the server. */
  async lead(door: Door, url: string): Promise<void> {
    await keeper('lead', { door, port: Number(new URL(url).port) });
  }

  /** Leaves the stack to the next file. Rejects if a process has exited. The next file then starts another stack. */
  async stop(): Promise<void> {
    await Promise.all(this.workers.filter(({ isSpecial }) => isSpecial).map((worker) => worker.stop()));
    await this.database.end();
    const problems = problemsOf(await keeper<KeptStack>('look'));
    if (problems.length === 0) return;
    await keeper('end');
    throw new Error(problems.join('\n\n'));
  }

  private async answers(path: string): Promise<void> {
    if (!(await fetch(`${this.baseUrl}${path}`)).ok) throw new Error(`${path} does not answer yet.`);
  }
}

async function usableStack(): Promise<KeptStack> {
  const kept = await keeper<KeptStack | null>('look');
  if (kept && problemsOf(kept).length === 0) return kept;
  await keeper('end');
  try {
    return await startSharedStack();
  } catch (error) {
    await keeper('end');
    throw error;
  }
}

/** Starts the API of a new stack. Its database is not dropped, because the whole server ends with the test run. */
async function startSharedStack(): Promise<KeptStack> {
  const [{ url: databaseUrl }, port] = await Promise.all([createTestDatabase(), freePort()]);
  const { doors } = await keeper<KeptStack>('create', { doors: DOORS });
  const address = (door: Door): string => `127.0.0.1:${doors[door]}`;
  const profiles = modelProfiles(`http://${address('models')}/v1`, `http://${address('spare')}/v1`);
  const environment = {
    PATH: process.env.PATH ?? '',
    ...stackEnvironment(databaseUrl),
    LOG_LEVEL: 'info',
    EGRESS_ALLOW: '127.0.0.0/8,::1/128',
    MODEL_PROVIDERS: stringify({ providers: profiles }),
    TEST_MODEL_KEY: MODEL_API_KEY,
    SMTP_RELAY_URL: `smtp://${address('mail')}`,
  };
  await keeper('remember', { databaseUrl, port, environment });
  await launch('api', { ...environment, PORT: String(port) });
  await until(async () => {
    if (!(await fetch(`http://127.0.0.1:${port}/healthz`)).ok) throw new Error('The shared API does not answer yet.');
  });
  return keeper<KeptStack>('look');
}

function launch(name: 'api' | 'worker', env: Readonly<Record<string, string>>): Promise<{ pid: number }> {
  return keeper('launch', { name, args: programArguments(name), env });
}

/** Repeats the assertion. Rejects as soon as a program of the stack has exited. */
async function until(assertion: () => Promise<void>): Promise<void> {
  const problems = await eventually(async () => {
    const found = problemsOf(await keeper<KeptStack>('look'));
    if (found.length === 0) await assertion();
    return found;
  });
  if (problems.length > 0) throw new Error(problems.join('\n\n'));
}

function problemsOf({ programs }: KeptStack): string[] {
  return programs.flatMap(({ name, exit, log }) => {
    if (exit !== undefined) return [`The shared ${name} ended with ${exit}:\n${log}`];
    const leak = leakIn(log);
    return leak === undefined ? [] : [`The shared ${name} leaks listeners:\n${leak}`];
  });
}

/** Calls an operation of the keeper for the stack of this jest worker. */
async function keeper<Result = void>(operation: string, parameters: object = {}): Promise<Result> {
  const address = process.env.TEST_STACK_KEEPER;
  if (!address) throw new Error('There is no keeper: jest has to run the global setup of test/support.');
  const body = JSON.stringify([operation, process.env.JEST_WORKER_ID, parameters]);
  const response = await fetch(address, { method: 'POST', body });
  const text = await response.text();
  if (!response.ok) throw new Error(`The keeper answered ${response.status}: ${text}`);
  return JSON.parse(text) as Result;
}
