import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Semaphore } from '@app/kernel';
import { SandboxUnavailable } from '../sandbox-errors.js';

export interface CodeRequest {
  source: string;
  input: string;
  memoryBytes: number;
  /** Waiting for a thread does not count. */
  millis: number;
  maxResultBytes: number;
  /** Executions of different owners share no memory. */
  owner: string;
}

/** `millis` is the duration of the execution, or 0 if the execution crashed QuickJS. */
export type CodeResult =
  | { kind: 'value'; json: string; millis: number }
  | { kind: 'error'; message: string; line: number | null; millis: number }
  | { kind: 'limit'; limit: 'memory' | 'time' | 'result'; millis: number };

export type ThreadMessage = { ready: true } | { result: CodeResult };

const START_MILLIS = 60_000;
/** After that time, the pool ends the thread. */
const GRACE_MILLIS = 2_000;
const IDLE_MILLIS = 60_000;
/**
 * The heap of the thread contains the argument and the result of the function. The memory of the code is not part of
 * the heap, because it is in WebAssembly.
 */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 16 };

export interface CodePoolSettings {
  /** Default: one for each core. */
  threads?: number;
  /** Only tests set it, because they run from sources. */
  program?: string;
  graceMillis?: number;
}

/** If all threads are busy, further requests wait in memory, first in, first out. */
export class CodePool {
  private readonly slots: Semaphore;
  private readonly idle: CodeThread[] = [];
  private readonly all = new Set<CodeThread>();
  private isClosed = false;

  constructor(private readonly settings: CodePoolSettings = {}) {
    this.slots = new Semaphore(settings.threads ?? availableParallelism());
  }

  /**
   * @throws SandboxUnavailable if no thread can start
   * @throws the reason of the signal if the signal is aborted
   */
  execute(request: CodeRequest, signal?: AbortSignal): Promise<CodeResult> {
    return this.slots.run(async () => {
      const thread = this.idle.pop() ?? (await this.start());
      thread.keep();
      const result = await thread.execute(request, signal);
      if (thread.isRunning && !this.isClosed) {
        this.idle.push(thread);
        thread.endAfter(IDLE_MILLIS);
      }
      return result;
    }, signal);
  }

  /** Executions in progress are rejected with SandboxUnavailable. */
  close(): void {
    this.isClosed = true;
    for (const thread of this.all) thread.end();
  }

  private async start(): Promise<CodeThread> {
    if (this.isClosed) throw new SandboxUnavailable('The pool of threads for code is closed.');
    const program = this.settings.program ?? fileURLToPath(new URL('./code-thread.js', import.meta.url));
    const thread = new CodeThread(program, this.settings.graceMillis ?? GRACE_MILLIS, () => {
      this.all.delete(thread);
      const place = this.idle.indexOf(thread);
      if (place >= 0) this.idle.splice(place, 1);
    });
    this.all.add(thread);
    await thread.ready;
    return thread;
  }
}

class CodeThread {
  readonly ready: Promise<void>;
  isRunning = true;
  private readonly worker: Worker;
  private idleTimer: NodeJS.Timeout | undefined;
  private receive: (message: ThreadMessage) => void = () => undefined;
  private fail: (error: Error) => void = () => undefined;

  constructor(
    program: string,
    private readonly graceMillis: number,
    private readonly onEnd: () => void,
  ) {
    this.worker = new Worker(program, {
      env: {},
      argv: [],
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: THREAD_LIMITS,
    });
    this.worker.on('message', (message: ThreadMessage) => this.receive(message));
    this.worker.on('error', (error) => this.ended(error));
    this.worker.on('exit', () => this.ended(new Error('The thread has ended.')));
    this.ready = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => this.ended(new Error('The thread did not start in time.')), START_MILLIS);
      this.receive = () => {
        clearTimeout(timer);
        resolve();
      };
      this.fail = (cause) => {
        clearTimeout(timer);
        reject(new SandboxUnavailable('A thread for code could not start.', { cause }));
      };
    });
  }

  execute(request: CodeRequest, signal?: AbortSignal): Promise<CodeResult> {
    return new Promise<CodeResult>((resolve, reject) => {
      const startedAt = performance.now();
      const exceeded = (limit: 'time' | 'memory'): void => {
        finish();
        resolve({ kind: 'limit', limit, millis: Math.round(performance.now() - startedAt) });
        this.end();
      };
      const abort = (): void => {
        finish();
        reject(signal?.reason as Error);
        this.end();
      };
      const timer = setTimeout(() => exceeded('time'), request.millis + this.graceMillis);
      const finish = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.receive = this.fail = () => undefined;
      };
      this.receive = (message) => {
        if (!('result' in message)) return;
        finish();
        resolve(message.result);
      };
      this.fail = (cause) => {
        if (!(cause instanceof PoolClosed)) return exceeded('memory');
        finish();
        reject(new SandboxUnavailable('The pool of threads for code is closed.', { cause }));
      };
      signal?.addEventListener('abort', abort, { once: true });
      if (signal?.aborted) return abort();
      this.worker.postMessage(request);
    });
  }

  keep(): void {
    clearTimeout(this.idleTimer);
    this.worker.ref();
  }

  /** Until then, the thread does not keep the process alive. */
  endAfter(millis: number): void {
    this.worker.unref();
    this.idleTimer = setTimeout(() => this.end(), millis).unref();
  }

  end(): void {
    this.ended(new PoolClosed());
  }

  private ended(cause: Error): void {
    if (!this.isRunning) return;
    this.isRunning = false;
    clearTimeout(this.idleTimer);
    this.onEnd();
    this.fail(cause);
    void this.worker.terminate();
  }
}

class PoolClosed extends Error {
  override readonly name = 'PoolClosed';
}
