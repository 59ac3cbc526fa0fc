import type { QueryResultRow } from 'pg';
import { stringify } from 'yaml';
import { addWorkspace } from './added-workspace.js';
import { ApiClient } from './api-client.js';
import { KeptStack } from './kept-stack.js';
import { MODEL_API_KEY, modelProfiles } from './model-profiles.js';
import type { Service, WorkerProcess } from './stack.js';

/** Servers of a test file that the shared service calls at a fixed address. */
const DOORS = ['models', 'spare', 'mail'] as const;
type Door = (typeof DOORS)[number];

const ALIVE = 'select from workers where pid = $1 and lease_until > clock_timestamp()';

class KeptWorker implements WorkerProcess {
  hasEnded = false;

  constructor(
    private readonly kept: KeptStack,
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
    return (await this.kept.remove(this.pid, signal)).exit;
  }
}

/**
 * An API and workers that all test files of a jest worker use, one file after the other. Each file has a workspace of
 * its own.
 */
export class SharedStack implements Service {
  readonly client: ApiClient;
  workers: KeptWorker[];

  private constructor(
    private readonly kept: KeptStack,
    readonly workspaceId: string,
    readonly adminKey: string,
  ) {
    this.client = new ApiClient(() => this.baseUrl, adminKey);
    this.workers = kept.programs
      .filter(({ name }) => name === 'worker')
      .map(({ pid }) => new KeptWorker(this.kept, pid));
  }

  /** Joins the stack of this jest worker with a new workspace, and starts or stops workers. */
  static async join({ workers }: { workers: number }): Promise<SharedStack> {
    const kept = await KeptStack.join({ name: 'service', doors: DOORS, settings: settingsOf });
    const { workspaceId, adminKey } = await addWorkspace(kept);
    const stack = new SharedStack(kept, workspaceId, adminKey);
    await Promise.all(stack.workers.splice(workers).map((worker) => worker.stop()));
    while (stack.workers.length < workers) await stack.addWorker();
    return stack;
  }

  get baseUrl(): string {
    return this.kept.url;
  }

  get databaseUrl(): string {
    return this.kept.databaseUrl;
  }

  query<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.kept.query<Row>(text, values);
  }

  async addWorker(env: Readonly<Record<string, string>> = {}): Promise<KeptWorker> {
    const { pid } = await this.kept.launch('worker', env);
    const worker = new KeptWorker(this.kept, pid, Object.keys(env).length > 0);
    this.workers.push(worker);
    await this.kept.until(async () => {
      if ((await this.query(ALIVE, [pid])).length === 0) throw new Error('The shared worker has no lease yet.');
      await this.kept.answers('/readyz');
    });
    return worker;
  }

  async endWorkers(): Promise<void> {
    await Promise.all(this.workers.splice(0).map((worker) => worker.stop()));
  }

  /** Lets the service reach a server of this test file. `url` is the address of the server. */
  async lead(door: Door, url: string): Promise<void> {
    await this.kept.lead(door, Number(new URL(url).port));
  }

  /** Leaves the stack to the next file. Rejects if a process has exited. */
  async stop(): Promise<void> {
    await Promise.all(this.workers.filter(({ isSpecial }) => isSpecial).map((worker) => worker.stop()));
    await this.kept.leave();
  }
}

function settingsOf(doors: Readonly<Record<string, number>>): Record<string, string> {
  const address = (door: Door): string => `127.0.0.1:${doors[door]}`;
  const profiles = modelProfiles(`http://${address('models')}/v1`, `http://${address('spare')}/v1`);
  return {
    EGRESS_ALLOW: '127.0.0.0/8,::1/128',
    MODEL_PROVIDERS: stringify({ providers: profiles }),
    TEST_MODEL_KEY: MODEL_API_KEY,
    SMTP_RELAY_URL: `smtp://${address('mail')}`,
  };
}
