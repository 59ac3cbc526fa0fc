import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { WatchedLimits } from './sandbox-process.js';

const MIB = 1024 * 1024;
/** Milliseconds in which a new process must be ready. */
const START_MILLIS = 60_000;

export interface PoolSettings {
  /** Path of a compiled module that exports `handle(request): Promise<result>`; both are copied between the processes. */
  program: string;
  /** Requests that are handled at the same time. */
  processes: number;
  /** MiB of the JavaScript heap of one process. */
  heapMegabytes: number;
  /** MiB of one process in all: heap, buffers and code. */
  totalMegabytes: number;
  /** CPU time of one request. Unlike elapsed time it does not depend on what else the machine does. */
  cpuMillis: number;
  /** Elapsed time of one request: a safety net for code that neither computes nor ends. */
  millis: number;
  /** Path of the compiled `sandbox-process`; for tests, which run from sources. */
  host?: string;
}

/** Which limit a request has exceeded; `crashed`: the process ended for another reason while it handled the request. */
export type SandboxLimit = 'time' | 'memory' | 'crashed';

/** The request cannot be handled within the limits. The same request fails again. */
export class SandboxLimitExceeded extends Error {
  override readonly name = 'SandboxLimitExceeded';

  constructor(readonly limit: SandboxLimit) {
    super(`the request exceeded a limit of its process: ${limit}`);
  }
}

/** No process could handle the request, for a reason outside of the request: it may be tried again later. */
export class SandboxUnavailable extends Error {
  override readonly name = 'SandboxUnavailable';
}

/** `handle` has rejected. */
export class SandboxFailure extends Error {
  constructor(
    override readonly name: string,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

interface Reply {
  result?: unknown;
  failure?: { name: string; code: string; message: string };
}

/** Ends that another process or the operating system causes. */
const KILLS: readonly (NodeJS.Signals | null)[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'];

/**
 * Handles untrusted data in processes of their own, within limits of CPU time and memory. Threads do not isolate: one that runs out of
 * memory in a single allocation ends the whole process. The environment of these processes is empty, so they hold no key and no
 * address. Requests beyond `processes` wait in the order of asking, with their data.
 */
export class ProcessPool<Request extends object, Result> {
  private readonly idle: ChildProcess[] = [];
  private readonly all = new Set<ChildProcess>();
  private readonly waiting: (() => void)[] = [];
  private busy = 0;
  private isClosed = false;

  constructor(private readonly settings: PoolSettings) {}

  /**
   * @param signal ends the wait for a process, not the work of one
   * @throws SandboxLimitExceeded, SandboxUnavailable, SandboxFailure; the signal's reason
   */
  async handle(request: Request, signal?: AbortSignal): Promise<Result> {
    await this.turn(signal);
    try {
      // A process that was killed from outside, for example by the kernel for lack of memory, gets a second try: twice is the request.
      const reply = (await this.ask(request)) ?? (await this.ask(request));
      if (!reply) throw new SandboxLimitExceeded('memory');
      if (reply.failure) throw new SandboxFailure(reply.failure.name, reply.failure.code, reply.failure.message);
      return reply.result as Result;
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.busy -= 1;
    }
  }

  /** Ends all processes. Requests under way are rejected with SandboxUnavailable. */
  close(): void {
    this.isClosed = true;
    for (const child of this.all) child.kill('SIGKILL');
  }

  private async turn(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.busy < this.settings.processes) {
      this.busy += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(proceed), 1);
        reject(signal?.reason as Error);
      };
      const proceed = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.waiting.push(proceed);
    });
  }

  /** Undefined where the process was killed from outside. */
  private async ask(request: Request): Promise<Reply | undefined> {
    const child = this.idle.pop() ?? (await this.start());
    const answer = await new Promise<Reply | NodeJS.Signals | 'timeout' | null>((resolve) => {
      const settle = (outcome: Reply | NodeJS.Signals | 'timeout' | null): void => {
        child.off('message', replied).off('exit', ended);
        clearTimeout(timer);
        resolve(outcome);
      };
      const replied = (reply: unknown): void => settle(reply as Reply);
      const ended = (_code: number | null, by: NodeJS.Signals | null): void => settle(by);
      const timer = setTimeout(() => settle('timeout'), this.settings.millis);
      child.on('message', replied).on('exit', ended);
      // Where the process has ended, `exit` follows.
      child.send({ ...request }, () => undefined);
    });
    if (answer !== null && typeof answer === 'object') {
      this.idle.push(child);
      return answer;
    }
    child.kill('SIGKILL');
    if (this.isClosed) throw new SandboxUnavailable('The process pool is closed.');
    if (answer === 'SIGXCPU' || answer === 'timeout') throw new SandboxLimitExceeded('time');
    if (answer === 'SIGABRT') throw new SandboxLimitExceeded('memory');
    if (!KILLS.includes(answer)) throw new SandboxLimitExceeded('crashed');
    return undefined;
  }

  /** @throws SandboxUnavailable */
  private async start(): Promise<ChildProcess> {
    const { host, program, heapMegabytes, totalMegabytes, cpuMillis } = this.settings;
    if (this.isClosed) throw new SandboxUnavailable('The process pool is closed.');
    const limits: WatchedLimits = { bytes: totalMegabytes * MIB, cpuMillis };
    const path = host ?? fileURLToPath(new URL('./sandbox-process.js', import.meta.url));
    const child = fork(path, [program, JSON.stringify(limits)], {
      execArgv: [`--max-old-space-size=${heapMegabytes}`],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.all.add(child);
    child.on('exit', () => {
      this.all.delete(child);
      const place = this.idle.indexOf(child);
      if (place >= 0) this.idle.splice(place, 1);
    });
    await this.ready(child);
    return child;
  }

  private async ready(child: ChildProcess): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const failed = (why: string): void => {
        child.kill('SIGKILL');
        this.all.delete(child);
        reject(new SandboxUnavailable(`A process for untrusted data could not start: ${why}.`));
      };
      const timer = setTimeout(() => failed(`it took more than ${START_MILLIS / 1_000} s`), START_MILLIS);
      child.once('message', () => {
        clearTimeout(timer);
        resolve();
      });
      child.on('error', (error) => failed(error.message));
      child.once('exit', (code, signal) => {
        clearTimeout(timer);
        failed(`it ended with ${signal ?? `code ${code}`}`);
      });
    });
  }
}
