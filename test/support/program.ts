import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { eventually } from './eventually.js';

/** This file runs as TypeScript from the checkout (jest) and compiled from `dist` (the bench). */
const ABOVE = join(import.meta.dirname, '..', '..');
const DIST = existsSync(join(ABOVE, 'package.json')) ? join(ABOVE, 'dist') : ABOVE;
/** Makes a program end when the process that started it is gone, however it went. */
const PARENT_WATCH = join(DIST, 'apps', 'standalone', 'src', 'parent-watch.js');

const STOP_WITHIN_MS = 15_000;
const LAST_LINES = 30;
/** Characters of a warning of Node, with its stack. */
const LEAK_CHARACTERS = 2_000;

export interface ProgramSettings {
  /** What messages call it: `api`, `worker 2`. */
  name: string;
  app: 'api' | 'worker';
  /** The whole environment: nothing is inherited but PATH. */
  environment: Readonly<Record<string, string>>;
  /** Further arguments of `node`. */
  nodeArguments?: readonly string[];
}

/** A program for Node that is no part of the product. */
export interface ScriptSettings extends Pick<ProgramSettings, 'name' | 'environment' | 'nodeArguments'> {
  /** Absolute path of the file that `node` is given. */
  script: string;
  /** What the script finds behind its own name. */
  scriptArguments?: readonly string[];
}

/** One program as a process of its own, those of the product as they were built. Every way it ends is either asked for here or a problem. */
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

  static start({ app, ...settings }: ProgramSettings): Program {
    const script = join(DIST, 'apps', app, 'src', 'main.js');
    if (!existsSync(script)) throw new Error(`${script} is missing: run npm test or npm run build first.`);
    return Program.run({ ...settings, script });
  }

  /** Like the programs of the product, it ends with whoever started it. */
  static run({ name, script, scriptArguments = [], environment, nodeArguments = [] }: ScriptSettings): Program {
    const options = ['--trace-warnings', '--import', PARENT_WATCH, ...nodeArguments];
    const child = spawn(process.execPath, [...options, script, ...scriptArguments], {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
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

  /** `exit 0`, `SIGKILL`, or undefined while it runs. */
  get ending(): string | undefined {
    if (!this.hasEnded) return undefined;
    return this.child.signalCode ?? `exit ${this.child.exitCode ?? '?'}`;
  }

  /** All it has written so far. */
  log(): string {
    return this.output.join('');
  }

  /** The last lines of its log, for messages. */
  tail(): string {
    return this.log().trimEnd().split('\n').slice(-LAST_LINES).join('\n');
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** `kill -9`, and waits until it is gone. */
  async kill(): Promise<void> {
    this.expectEnding('SIGKILL');
    this.signal('SIGKILL');
    await this.ended;
  }

  /** Asks it to end (SIGTERM) and waits; one that does not in 15 seconds is killed, which {@link problem} tells. */
  async stop(): Promise<void> {
    if (!this.hasEnded) {
      this.expectEnding('exit 0');
      this.signal('SIGTERM');
      // A stopped process (SIGSTOP) would never hear it.
      this.signal('SIGCONT');
    }
    const patience = setTimeout(() => this.signal('SIGKILL'), STOP_WITHIN_MS);
    await this.ended;
    clearTimeout(patience);
  }

  /** Ending this way, `exit 9` for example, is what the test is about. */
  expectEnding(ending: string): void {
    this.expected.add(ending);
  }

  /** An exit that no test expects, with the end of the log; or a warning of Node about a leak, with its stack. */
  problem(): string | undefined {
    const { ending } = this;
    const log = this.log();
    const leak = log.indexOf('MaxListenersExceededWarning');
    if (leak >= 0) return `${this.name} leaks listeners:\n${log.slice(leak, leak + LEAK_CHARACTERS)}`;
    if (ending === undefined || this.expected.has(ending)) return undefined;
    return `${this.name} ended with ${ending}:\n${this.tail()}`;
  }

  /** Resolves when `condition` holds; rejects at once when the program ends before. */
  async until(condition: () => Promise<boolean>, what: string): Promise<void> {
    const failed = await eventually(
      async () => {
        if (this.hasEnded) return `${this.name} ended before ${what} (${this.ending ?? ''}):\n${this.tail()}`;
        if (await condition().catch(() => false)) return undefined;
        throw new Error(`${this.name} runs, but ${what} did not come in time:\n${this.tail()}`);
      },
      { within: 60_000 },
    );
    if (failed !== undefined) throw new Error(failed);
  }
}
