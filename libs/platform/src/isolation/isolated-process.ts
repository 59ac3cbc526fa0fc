import { type ChildProcess, fork } from 'node:child_process';
import { isolatedEnvironment } from '@app/platform/config';
import type { AnswerMessage, CallMessage } from '@app/platform/isolated-program';
import { LONGEST_TIMER_MILLIS } from '@app/kernel';
import { type IsolationFailure, IsolationError, type IsolationLimits, RemoteError } from './isolation-error.js';

interface PendingCall {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

/**
 * A process with limits that carries out calls (`serveCalls`). It is a process and not a thread, because V8 ends the whole process
 * when a thread fails a single large allocation. Its environment holds no secret of the service. It ends when the service ends,
 * even in an endless loop.
 */
export class IsolatedProcess {
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  private readonly child: ChildProcess;
  private readonly pending = new Map<number, PendingCall>();
  private lastId = 0;
  private failure: IsolationError | undefined;

  /** `program`: path of a compiled file that calls `serveCalls`. */
  constructor(
    program: string,
    private readonly limits: IsolationLimits,
  ) {
    const { heapMegabytes, memoryMegabytes, blockedMillis } = limits;
    this.child = fork(program, [String(memoryMegabytes), String(blockedMillis)], {
      execArgv: [`--max-old-space-size=${heapMegabytes}`],
      env: isolatedEnvironment(),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.child.on('message', (message) => this.receive(message as AnswerMessage));
    this.child.on('error', (error) => this.end('crashed', error.message));
    this.ended = new Promise((resolve) => {
      this.child.once('exit', (_code, signal) => {
        this.end(reasonOf(signal), 'It ended.');
        resolve();
      });
    });
  }

  get isRunning(): boolean {
    return this.failure === undefined;
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /**
   * Calls a method of the program. If the time limit passes, the process is killed.
   * @throws RemoteError an error of the method; IsolationError where the process ended first
   */
  call<Value>(method: string, argument: unknown, timeoutMs: number): Promise<Value> {
    return new Promise<unknown>((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      const id = ++this.lastId;
      const late = (): void => this.end('timeout', `No answer within ${timeoutMs / 1_000} s.`);
      const timer = setTimeout(late, Math.min(timeoutMs, LONGEST_TIMER_MILLIS));
      this.pending.set(id, { resolve, reject, timer });
      const message: CallMessage = { id, method, argument };
      // A process that has ended reports it by its exit.
      this.child.send(message, () => undefined);
    }) as Promise<Value>;
  }

  /** Ends the process. Calls that are under way reject with `closed`. */
  kill(): void {
    this.end('closed', 'The connection has been closed.');
  }

  private receive(message: AnswerMessage): void {
    if ('crash' in message) return this.end('crashed', message.crash.message);
    const call = this.pending.get(message.id);
    if (!call) return;
    this.pending.delete(message.id);
    clearTimeout(call.timer);
    if ('value' in message) return call.resolve(message.value);
    const { name, message: text, details } = message.failure;
    call.reject(new RemoteError(name, text, details));
  }

  private end(reason: IsolationFailure, detail: string): void {
    if (this.failure) return;
    const { heapMegabytes, blockedMillis } = this.limits;
    const texts: Partial<Record<IsolationFailure, string>> = {
      memory: `It needs more than ${heapMegabytes} MB of memory.`,
      blocked: `It did not respond for ${blockedMillis / 1_000} s.`,
    };
    this.failure = new IsolationError(reason, texts[reason] ?? detail);
    this.child.kill('SIGKILL');
    for (const { reject, timer } of this.pending.values()) {
      clearTimeout(timer);
      reject(this.failure);
    }
    this.pending.clear();
  }
}

/** V8 aborts where the heap is exhausted, and the watchdog sends the same signal for the memory of the process. */
function reasonOf(signal: NodeJS.Signals | null): IsolationFailure {
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL') return 'memory';
  return signal === 'SIGKILL' ? 'blocked' : 'crashed';
}
