import { type ChildProcess, spawn } from 'node:child_process';

import { identify, type ProcessIdentity } from './process-identity.js';

export interface ServiceProgram {
  /** Name of the process in messages, for example `api` or `worker 2`. */
  name: string;
  args: readonly string[];
  environment: NodeJS.ProcessEnv;
}

/**
 * They limit the memory for young objects to 3 × 8 MB for each thread. Without them, this memory grows to 3 × 16 MB on
 * Node 20, and on Node 24 the processes need 80 to 100 MB more. V8 reads the limit only at the start of a process.
 */
export const MEMORY_OPTIONS = ['--max-semi-space-size=8'] as const;

const STOP_WITHIN_MS = 30_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/**
 * Time in milliseconds. If a process exits after it has run for longer than this, the count of failures starts again at
 * 1.
 */
const HEALTHY_AFTER_MS = 60_000;

/**
 * After an unexpected exit, it is restarted after a pause that doubles with each failure. The start command then stops
 * the process in an orderly way.
 */
export class ServiceProcess {
  /** See `HEALTHY_AFTER_MS`. */
  failures = 0;
  private child: ChildProcess | undefined;
  private pending: NodeJS.Timeout | undefined;
  private stopping = false;

  constructor(
    private readonly program: ServiceProgram,
    private readonly log: (line: string) => void,
    private readonly started: () => void,
  ) {}

  get name(): string {
    return this.program.name;
  }

  start(): void {
    const begun = Date.now();
    const child = spawn(process.execPath, this.program.args, {
      env: this.program.environment,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      detached: true,
      windowsHide: true,
    });
    this.child = child;
    child.once('error', (error) => this.log(`${this.name}: ${error.message}`));
    child.once('exit', (code, signal) => this.ended(signal ?? `exit code ${code ?? '?'}`, Date.now() - begun));
    this.started();
  }

  async identity(): Promise<ProcessIdentity | undefined> {
    return this.child?.pid === undefined ? undefined : identify(this.child.pid);
  }

  /** A message that cannot be sent is dropped. */
  send(message: object): void {
    if (this.child?.connected) this.child.send(message, () => undefined);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.pending);
    const child = this.child;
    if (child === undefined || hasEnded(child)) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const patience = setTimeout(() => {
      this.log(`${this.name} does not stop, killing it`);
      child.kill('SIGKILL');
    }, STOP_WITHIN_MS);
    await gone;
    clearTimeout(patience);
  }

  kill(): void {
    this.stopping = true;
    clearTimeout(this.pending);
    this.child?.kill('SIGKILL');
  }

  private ended(how: string, ranForMs: number): void {
    if (this.stopping) return;
    this.failures = ranForMs > HEALTHY_AFTER_MS ? 1 : this.failures + 1;
    const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.failures - 1));
    this.log(`${this.name} ended (${how}), restarting it in ${pauseMs / 1000} s`);
    this.pending = setTimeout(() => this.start(), pauseMs);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
