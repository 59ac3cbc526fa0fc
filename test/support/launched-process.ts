import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';

import { eventually } from './eventually.js';

export interface ProcessOutcome {
  code: number | null;
  output: string;
}

/** A process whose standard output and standard error are collected in one text. */
export class LaunchedProcess {
  output = '';
  readonly ended: Promise<ProcessOutcome>;

  private constructor(readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (this.output += String(bytes)));
    this.ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output: this.output }));
  }

  static start(command: string, args: readonly string[], options: Pick<SpawnOptions, 'cwd' | 'env'>): LaunchedProcess {
    return new LaunchedProcess(spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  /** Waits until the output contains this text. Fails if the process exits before that. */
  async says(text: string): Promise<void> {
    const hasEnded = await eventually(
      () => {
        if (this.output.includes(text)) return false;
        if (this.child.exitCode !== null) return true;
        throw new Error(`"${text}" is not in the output:\n${this.output}`);
      },
      { within: 300_000 },
    );
    if (hasEnded) throw new Error(`The process ended without "${text}":\n${this.output}`);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<ProcessOutcome> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    return this.ended;
  }
}
