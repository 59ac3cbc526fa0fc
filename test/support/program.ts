import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { MEMORY_OPTIONS } from '../../apps/standalone/src/service-process.js';
import { REPOSITORY_ROOT } from './repository-root.js';
import { eventually } from './eventually.js';

const DIST = join(REPOSITORY_ROOT, 'dist');
/** Module that ends a program when its parent process has exited for any reason. */
const PARENT_WATCH = join(DIST, 'apps', 'standalone', 'src', 'parent-watch.js');

const IS_NODE_20 = process.versions.node.startsWith('20.');

/**
 * Options of V8 that save a third of the processor time of a start, which is most of the time of a test: functions are
 * compiled at their first call, the memory for young objects need not grow first, and a function is optimised after
 * about four times as many calls as by default. Later versions of V8 do not have the last option. Benchmarks start the
 * programs with the options of `npm start`.
 */
const START_OPTIONS =
  process.env.JEST_WORKER_ID === undefined
    ? MEMORY_OPTIONS
    : ['--max-lazy', '--min-semi-space-size=16', ...(IS_NODE_20 ? ['--interrupt-budget=500000'] : [])];

/** With these options, a program exits when its parent process has exited. */
const SCRIPT_OPTIONS = ['--trace-warnings', '--import', PARENT_WATCH];

export function programArguments(app: 'api' | 'worker', nodeArguments: readonly string[] = []): string[] {
  const script = join(DIST, 'apps', app, 'src', 'main.js');
  if (!existsSync(script)) throw new Error(`${script} is missing: run npm test or npm run build first.`);
  return [...SCRIPT_OPTIONS, ...START_OPTIONS, ...nodeArguments, script];
}

export function leakIn(log: string): string | undefined {
  const leak = log.indexOf('MaxListenersExceededWarning');
  return leak < 0 ? undefined : log.slice(leak, leak + LEAK_CHARACTERS);
}

const STOP_WITHIN_MS = 60_000;
const LAST_LINES = 30;
/** Maximum length, in characters, of a Node.js leak warning in an error message. */
const LEAK_CHARACTERS = 2_000;

export interface ProgramOptions {
  name: string;
  app: 'api' | 'worker';
  /** All environment variables of the program. From the test process, it inherits only PATH. */
  environment: Readonly<Record<string, string>>;
  nodeArguments?: readonly string[];
  /** Path of the `node` binary. Default: the binary that runs this process. */
  node?: string;
}

/** A Node.js program that is not part of the product. */
export interface ScriptOptions extends Pick<ProgramOptions, 'name' | 'environment' | 'nodeArguments' | 'node'> {
  /** Absolute path of the script. */
  script: string;
  scriptArguments?: readonly string[];
}

/** A program that is not run by Node.js. */
export interface BinaryOptions extends Pick<ProgramOptions, 'name' | 'environment'> {
  /** Absolute path of the binary. */
  binary: string;
  binaryArguments?: readonly string[];
}

/**
 * A program in a separate process. Programs of the product run from their build in `dist`. An unexpected exit is
 * reported as a problem.
 */
export class Program {
  private readonly output: string[] = [];
  private readonly ended: Promise<void>;
  private readonly expected = new Set<string>();

  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => this.output.push(String(chunk)));
    this.ended = new Promise((resolve) => {
      child.once('close', () => resolve());
      child.once('error', (error) => {
        this.output.push(String(error));
        resolve();
      });
    });
  }

  static start({ node, app, nodeArguments, ...settings }: ProgramOptions): Program {
    return Program.launch(settings, node ?? process.execPath, programArguments(app, nodeArguments));
  }

  /** Starts a script. It exits when its parent process exits, like the programs of the product. */
  static run({ node, script, scriptArguments = [], nodeArguments = [], ...settings }: ScriptOptions): Program {
    return Program.launch(settings, node ?? process.execPath, [
      ...SCRIPT_OPTIONS,
      ...nodeArguments,
      script,
      ...scriptArguments,
    ]);
  }

  private static launch(
    { name, environment }: Pick<ProgramOptions, 'name' | 'environment'>,
    node: string,
    nodeArguments: readonly string[],
  ): Program {
    const child = spawn(node, nodeArguments, {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    return new Program(name, child);
  }

  /** Starts a binary. Unlike a script, it does not exit when its parent process is killed. */
  static runBinary({ name, binary, binaryArguments = [], environment }: BinaryOptions): Program {
    const child = spawn(binary, binaryArguments, {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new Program(name, child);
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error(`${this.name} was not started:\n${this.tail()}`);
    return this.child.pid;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null || this.child.pid === undefined;
  }

  /** How the program exited, for example `exit 0` or `SIGKILL`. Undefined while the program runs. */
  get exit(): string | undefined {
    if (!this.hasEnded) return undefined;
    return this.child.signalCode ?? `exit ${this.child.exitCode ?? '?'}`;
  }

  log(): string {
    return this.output.join('');
  }

  tail(): string {
    return this.log().trimEnd().split('\n').slice(-LAST_LINES).join('\n');
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Kills the process with SIGKILL, and waits for its exit. */
  async kill(): Promise<void> {
    this.expectExit('SIGKILL');
    this.signal('SIGKILL');
    await this.ended;
  }

  /** Sends SIGTERM and waits for the exit. After 60 seconds, sends SIGKILL. {@link problem} then reports this. */
  async stop(): Promise<void> {
    if (!this.hasEnded) {
      this.expectExit('exit 0');
      this.signal('SIGTERM');
      // SIGCONT is sent, because a process that was suspended with SIGSTOP handles SIGTERM only after it continues.
      this.signal('SIGCONT');
    }
    const patience = setTimeout(() => this.signal('SIGKILL'), STOP_WITHIN_MS);
    await this.ended;
    clearTimeout(patience);
  }

  /** Declares that the program may exit in this way, for example `exit 9`. */
  expectExit(exit: string): void {
    this.expected.add(exit);
  }

  /** Describes an unexpected exit or a Node.js warning about a leak. Returns undefined if there is neither. */
  problem(): string | undefined {
    const { exit } = this;
    const leak = leakIn(this.log());
    if (leak !== undefined) return `${this.name} leaks listeners:\n${leak}`;
    if (exit === undefined || this.expected.has(exit)) return undefined;
    return `${this.name} ended with ${exit}:\n${this.tail()}`;
  }

  /**
   * Calls `condition` until it returns true. Rejects as soon as the program exits. `what` names the condition in the
   * error.
   */
  async until(condition: () => Promise<boolean>, what: string): Promise<void> {
    const failed = await eventually(
      async () => {
        if (this.hasEnded) return `${this.name} ended before ${what} (${this.exit ?? ''}):\n${this.tail()}`;
        if (await condition().catch(() => false)) return undefined;
        throw new Error(`${this.name} runs, but ${what} did not come in time:\n${this.tail()}`);
      },
      { within: 300_000 },
    );
    if (failed !== undefined) throw new Error(failed);
  }
}
