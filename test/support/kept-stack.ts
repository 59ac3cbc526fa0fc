import { Pool, type QueryResultRow } from 'pg';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { keeper } from './keeper.js';
import { createTestDatabase } from './postgres.js';
import { leakIn, programArguments } from './program.js';
import { stackEnvironment } from './stack.js';

type Environment = Readonly<Record<string, string>>;

interface Facts {
  databaseUrl: string;
  port: number;
  ports: Readonly<Record<string, number>>;
  environment: Environment;
}

export interface KeptProgram {
  name: 'api' | 'worker';
  pid: number;
  /** How the program exited, for example `exit 0` or `SIGKILL`. Undefined while it runs. */
  exit?: string;
  log: string;
}

interface Description {
  facts: Facts;
  doors: Record<string, number>;
  programs: KeptProgram[];
}

interface StackKind {
  name: string;
  doors: readonly string[];
  /** Ports on which the API listens, besides that of its HTTP server. */
  ports?: readonly string[];
  /** `ports` are the ports of the doors and of the API, whose HTTP server has the port `api`. */
  settings(ports: Readonly<Record<string, number>>): Environment;
}

/** An API, workers and a database that the test files of a jest worker share. `stack-keeper.mjs` keeps them. */
export class KeptStack {
  private readonly database: Pool;

  private constructor(
    private readonly key: string,
    private readonly facts: Facts,
    readonly programs: readonly KeptProgram[],
  ) {
    this.database = new Pool({ connectionString: facts.databaseUrl, max: 2, application_name: 'test' });
  }

  /** Returns the stack of this kind of this jest worker. Starts it if there is none, or if its API has exited. */
  static async join(kind: StackKind): Promise<KeptStack> {
    const key = `${kind.name} ${process.env.JEST_WORKER_ID}`;
    const known = await keeper<Description | null>('look', key);
    if (known && problemsOf(known).length === 0 && known.programs.some(({ name }) => name === 'api')) {
      await keeper('forget', key);
      return new KeptStack(key, known.facts, known.programs);
    }
    await keeper('end', key);
    try {
      return await KeptStack.start(key, kind);
    } catch (error) {
      await keeper('end', key);
      throw error;
    }
  }

  /** Starts an API. The database is not dropped, because the whole server ends with the test run. */
  private static async start(key: string, { doors, ports: further = [], settings }: StackKind): Promise<KeptStack> {
    const [{ url: databaseUrl }, port, ...free] = await Promise.all([
      createTestDatabase(),
      freePort(),
      ...further.map(() => freePort()),
    ]);
    const created = await keeper<Description>('create', key, { doors });
    const ports = { ...created.doors, api: port, ...Object.fromEntries(further.map((name, n) => [name, free[n]!])) };
    const environment = {
      PATH: process.env.PATH ?? '',
      ...stackEnvironment(databaseUrl),
      LOG_LEVEL: 'info',
      ...settings(ports),
    };
    const facts = { databaseUrl, port, ports, environment };
    await keeper('remember', key, facts);
    const api = await new KeptStack(key, facts, []).launchApi();
    return new KeptStack(key, facts, [api]);
  }

  get url(): string {
    return `http://127.0.0.1:${this.facts.port}`;
  }

  get databaseUrl(): string {
    return this.facts.databaseUrl;
  }

  get port(): number {
    return this.facts.port;
  }

  /** Port of a door, or on which the API listens. */
  portOf(name: string): number {
    const port = this.facts.ports[name];
    if (port === undefined) throw new Error(`The shared service has no port ${name}.`);
    return port;
  }

  async query<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.database.query<Row>(text, values)).rows;
  }

  launch(name: 'api' | 'worker', env: Environment): Promise<KeptProgram> {
    const parameters = { name, args: programArguments(name), env: { ...this.facts.environment, ...env } };
    return keeper('launch', this.key, parameters);
  }

  /** Starts the API of the stack. Resolves when it answers. */
  async launchApi(): Promise<KeptProgram> {
    const api = await this.launch('api', { PORT: String(this.facts.port) });
    await this.until(() => this.answers('/healthz'));
    return api;
  }

  remove(pid: number, signal: NodeJS.Signals): Promise<KeptProgram> {
    return keeper('remove', this.key, { pid, signal });
  }

  /** Returns what the programs have logged since this file has joined the stack, also those that have exited. */
  log(pid?: number): Promise<string> {
    return keeper('log', this.key, { pid });
  }

  /** Lets the programs reach a server of this test file through the door. */
  lead(door: string, port: number): Promise<void> {
    return keeper('lead', this.key, { door, port });
  }

  /** Rejects if the API does not answer 200. */
  async answers(path: string): Promise<void> {
    if (!(await fetch(`${this.url}${path}`)).ok) throw new Error(`${path} of the shared API does not answer yet.`);
  }

  /** Repeats the assertion. Rejects as soon as a program of the stack has exited. */
  async until(assertion: () => Promise<void>): Promise<void> {
    const problems = await eventually(async () => {
      const found = problemsOf(await keeper<Description>('look', this.key));
      if (found.length === 0) await assertion();
      return found;
    });
    if (problems.length > 0) throw new Error(problems.join('\n\n'));
  }

  /** Leaves the stack to the next file. Rejects if a program has exited. The next file then starts another stack. */
  async leave(): Promise<void> {
    await this.database.end();
    const problems = problemsOf(await keeper<Description>('look', this.key));
    if (problems.length === 0) return;
    await keeper('end', this.key);
    throw new Error(problems.join('\n\n'));
  }
}

function problemsOf({ programs }: Description): string[] {
  return programs.flatMap(({ name, exit, log }) => {
    if (exit !== undefined) return [`The shared ${name} ended with ${exit}:\n${log}`];
    const leak = leakIn(log);
    return leak === undefined ? [] : [`The shared ${name} leaks listeners:\n${leak}`];
  });
}
