import { resolve } from 'node:path';
import type { QueryResultRow } from 'pg';
import { stringify } from 'yaml';
import { addWorkspace } from './added-workspace.js';
import { ApiClient } from './api-client.js';
import { freePort } from './free-port.js';
import { KeptStack } from './kept-stack.js';
import { SELF_SIGNED } from './mail/mail-sender.js';
import { MODEL_API_KEY, modelProfiles } from './model-profiles.js';
import { oauthProviders } from './oauth-providers.js';
import type { Service, WorkerProcess } from './stack.js';

/** Servers of a test file that the shared service calls at a fixed address. */
const DOORS = ['models', 'spare', 'mail', 'oauth', 'vectors'] as const;
type Door = (typeof DOORS)[number];

/** Programs that tools of the type mcp may start on the shared service. */
export const MCP_PROGRAMS = {
  test: resolve('test/fixtures/mcp-stdio-server.mjs'),
  memory: resolve('test/fixtures/mcp-memory-server.mjs'),
  filesystem: resolve('node_modules/.bin/mcp-server-filesystem'),
};

/** Name of the relay whose authentication results the shared service trusts. */
export const TRUSTED_RELAY = 'mx.example.com';
/** Maximum number of calls of the MCP server that wait for their runs. */
export const MAX_WAITS = 4;

const ALIVE = 'select from workers where pid = $1 and lease_until > clock_timestamp()';

/** A program of the shared service. */
export class KeptProcess implements WorkerProcess {
  hasEnded = false;

  constructor(
    private readonly kept: KeptStack,
    readonly pid: number,
    /** True if the program has settings of one test file, so that no other file may use it. */
    readonly isSpecial = false,
  ) {}

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Rejects if the program does not exit in order. */
  async stop(): Promise<void> {
    const exit = await this.end('SIGTERM');
    if (exit !== undefined && exit !== 'exit 0') throw new Error(`The shared program ended with ${exit}.`);
  }

  /** Sends the signal, waits for the exit and returns it, for example `exit 9`. */
  async end(signal: NodeJS.Signals): Promise<string | undefined> {
    if (this.hasEnded) return undefined;
    this.hasEnded = true;
    return (await this.kept.remove(this.pid, signal)).exit;
  }

  /** Returns what the program has logged since this file has joined the service. */
  log(): Promise<string> {
    return this.kept.log(this.pid);
  }
}

/** An API of one test file, besides the shared one. */
export interface SecondApi {
  process: KeptProcess;
  baseUrl: string;
}

/**
 * An API and workers that all test files of a jest worker use, one file after the other. Each file has a workspace of
 * its own.
 */
export class SharedStack implements Service {
  readonly client: ApiClient;
  /** The shared API. A test may end it, and must then start it again. */
  api: KeptProcess;
  workers: KeptProcess[];
  private readonly further: KeptProcess[] = [];

  private constructor(
    private readonly kept: KeptStack,
    readonly workspaceId: string,
    readonly adminKey: string,
  ) {
    this.client = new ApiClient(() => this.baseUrl, adminKey);
    const of = (wanted: string): KeptProcess[] =>
      kept.programs.filter(({ name }) => name === wanted).map(({ pid }) => new KeptProcess(this.kept, pid));
    this.api = of('api')[0]!;
    this.workers = of('worker');
  }

  /** Joins the stack of this jest worker with a new workspace, and starts or stops workers. */
  static async join({ workers }: { workers: number }): Promise<SharedStack> {
    const kept = await KeptStack.join({ name: 'service', doors: DOORS, ports: ['smtp'], settings: settingsOf });
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

  /** Port of the SMTP listener. */
  get smtpPort(): number {
    return this.kept.portOf('smtp');
  }

  query<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.kept.query<Row>(text, values);
  }

  /** Returns what API and workers have logged since this file has joined the service. */
  log(): Promise<string> {
    return this.kept.log();
  }

  /** Starts the shared API again, after a test has ended it. */
  async startApi(): Promise<void> {
    this.api = new KeptProcess(this.kept, (await this.kept.launchApi()).pid);
  }

  /** Starts another API with the same database. It ends with the test file. */
  async addApi(env: Readonly<Record<string, string>> = {}): Promise<SecondApi> {
    const port = await freePort();
    const { pid } = await this.kept.launch('api', { SMTP_LISTEN_PORT: '0', ...env, PORT: String(port) });
    const added = { process: new KeptProcess(this.kept, pid, true), baseUrl: `http://127.0.0.1:${port}` };
    this.further.push(added.process);
    await this.kept.until(async () => {
      if (!(await fetch(`${added.baseUrl}/healthz`)).ok) throw new Error('The second API does not answer yet.');
    });
    return added;
  }

  async addWorker(env: Readonly<Record<string, string>> = {}): Promise<KeptProcess> {
    const { pid } = await this.kept.launch('worker', env);
    const worker = new KeptProcess(this.kept, pid, Object.keys(env).length > 0);
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

  /** Address at which the service calls the server behind the door. */
  addressOf(door: Door): string {
    return `http://127.0.0.1:${this.kept.portOf(door)}`;
  }

  /**
   * Leaves the stack to the next file. Rejects if a process has exited. The triggers of the workspace end, so that it
   * takes neither mail nor time from the next one.
   */
  async stop(): Promise<void> {
    const special = [...this.workers, ...this.further].filter(({ isSpecial }) => isSpecial);
    await Promise.all(special.map((program) => program.stop()));
    await this.query('delete from triggers where workspace_id = $1', [this.workspaceId]);
    await this.kept.leave();
  }
}

function settingsOf(ports: Readonly<Record<string, number>>): Record<string, string> {
  const address = (name: Door): string => `127.0.0.1:${ports[name]}`;
  const vectors = {
    type: 'openai-compatible',
    base_url: `http://${address('vectors')}/v1`,
    embeddings: { meaning: { dimensions: 128 } },
  };
  const profiles = modelProfiles(`http://${address('models')}/v1`, `http://${address('spare')}/v1`);
  return {
    PUBLIC_URL: `http://127.0.0.1:${ports.api}`,
    EGRESS_ALLOW: '127.0.0.1/32,::1/128',
    MODEL_PROVIDERS: stringify({ providers: { ...profiles, vectors } }),
    TEST_MODEL_KEY: MODEL_API_KEY,
    JUDGE_MODEL: 'spare/priced',
    SMTP_RELAY_URL: `smtp://${address('mail')}`,
    SMTP_LISTEN_PORT: String(ports.smtp),
    SMTP_TRUSTED_RELAYS: TRUSTED_RELAY,
    ...SELF_SIGNED,
    NODE_EXTRA_CA_CERTS: SELF_SIGNED.SMTP_TLS_CERT,
    OAUTH_PROVIDERS: stringify({ providers: oauthProviders(`http://${address('oauth')}`) }),
    MCP_STDIO_COMMANDS: Object.values(MCP_PROGRAMS).join(','),
    REGIONS: 'local,eu-west',
    RATE_LIMIT_SIGN_IN: '0',
    MCP_MAX_WAITS: String(MAX_WAITS),
    WEBHOOK_RETRY_SCHEDULE: '0s,300ms,300ms',
    WEBHOOK_TIMEOUT_MS: '5000',
  };
}
