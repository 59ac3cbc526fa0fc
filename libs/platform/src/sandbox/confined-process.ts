import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { MAX_TIMER_MILLIS } from '@app/kernel';
import { guardProcess } from './orphan-guard.js';
import type { AnswerMessage, CallMessage } from './process-host.js';
import { permissionOptions } from './process-permissions.js';
import { type EndReason, ProcessEnded, SandboxFailure } from './sandbox-errors.js';
import { type WatchedEvent, type WatchedLimits, watchProcess } from './watchdog.js';

export interface ProcessLimits extends WatchedLimits {
  heapMegabytes: number;
}

export interface ConfinedProgram extends ProcessLimits {
  /** Its exported functions accept one argument. The argument and the result are copied between the processes. */
  program: string;
  /** They must not contain a secret of the service. */
  environment?: NodeJS.ProcessEnv;
  /** Default: it may only read the code of the service. */
  folder?: string;
  /** Only tests set it, because they run from sources. */
  host?: string;
}

interface PendingCall {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

/**
 * It is not a thread, because a single large allocation that fails in a thread makes V8 end the whole process. The
 * child ends when the service ends, even if the child is in an endless loop.
 */
export class ConfinedProcess {
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  private readonly child: ChildProcess;
  private readonly note: (event: WatchedEvent) => void;
  private readonly pending = new Map<number, PendingCall>();
  private lastId = 0;
  private failure: ProcessEnded | undefined;
  private started: { resolve: () => void; reject: (error: Error) => void } | undefined;

  constructor(private readonly confined: ConfinedProgram) {
    const { program, environment = {}, folder, host, heapMegabytes, memoryMegabytes } = confined;
    const { cpuMillis, blockedMillis } = confined;
    const path = host ?? fileURLToPath(new URL('./process-host.js', import.meta.url));
    this.child = fork(path, [program, ...(blockedMillis === undefined ? [] : ['turns'])], {
      execArgv: [`--max-old-space-size=${heapMegabytes}`, ...permissionOptions(path, folder)],
      env: environment,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const watched: WatchedLimits = {
      memoryMegabytes,
      ...(cpuMillis !== undefined && { cpuMillis }),
      ...(blockedMillis !== undefined && { blockedMillis }),
    };
    this.note = watchedChild(this.child.pid, watched, new URL('./watchdog.js', pathToFileURL(path)));
    this.ready = new Promise((resolve, reject) => (this.started = { resolve, reject }));
    this.ready.catch(() => undefined);
    this.child.on('message', (message) => this.receive(message as AnswerMessage));
    this.child.on('error', (error) => this.end('crashed', error.message));
    this.ended = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => {
        this.note('ended');
        this.end(reasonOf(signal), `It ended with ${signal ?? `code ${code}`}.`);
        resolve();
      });
    });
  }

  get isRunning(): boolean {
    return this.failure === undefined;
  }

  /**
   * If the time limit passes, the process is killed.
   * @throws SandboxFailure if the function throws; ProcessEnded if the process ends first
   */
  call<Value>(method: string, argument: unknown, timeoutMs: number): Promise<Value> {
    return new Promise<unknown>((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      const id = ++this.lastId;
      const late = (): void => this.end('timeout', `It returned no result within ${timeoutMs / 1_000} s.`);
      const timer = setTimeout(late, Math.min(timeoutMs, MAX_TIMER_MILLIS));
      this.pending.set(id, { resolve, reject, timer });
      const message: CallMessage = { id, method, argument };
      this.note('call');
      // The error of `send` is ignored: if the process has ended, its `exit` event reports the failure.
      this.child.send(message, () => undefined);
    }) as Promise<Value>;
  }

  /** Calls in progress reject with `closed`. */
  kill(): void {
    this.end('closed', 'The connection has been closed.');
  }

  private receive(message: AnswerMessage): void {
    if ('ready' in message) return this.started?.resolve();
    if ('turn' in message) return this.note('turn');
    if ('crash' in message) return this.end('crashed', message.crash.message);
    this.note('answer');
    const call = this.pending.get(message.id);
    if (!call) return;
    this.pending.delete(message.id);
    clearTimeout(call.timer);
    if ('value' in message) return call.resolve(message.value);
    const { name, message: text, details } = message.failure;
    call.reject(new SandboxFailure(name, text, details));
  }

  private end(reason: EndReason, detail: string): void {
    if (this.failure) return;
    const { heapMegabytes, blockedMillis = 0 } = this.confined;
    const texts: Partial<Record<EndReason, string>> = {
      memory: `It needs more than ${heapMegabytes} MB of memory.`,
      blocked: `It did not respond for ${blockedMillis / 1_000} s.`,
    };
    this.failure = new ProcessEnded(reason, texts[reason] ?? detail);
    this.child.kill('SIGKILL');
    this.started?.reject(this.failure);
    for (const { reject, timer } of this.pending.values()) {
      clearTimeout(timer);
      reject(this.failure);
    }
    this.pending.clear();
  }
}

/** A process that could not be started has no id. */
function watchedChild(pid: number | undefined, limits: WatchedLimits, script: URL): (event: WatchedEvent) => void {
  if (pid === undefined) return () => undefined;
  const release = guardProcess(pid);
  const note = watchProcess(pid, limits, script);
  return (event) => {
    note(event);
    if (event === 'ended') release();
  };
}

/**
 * V8 ends the process with SIGABRT, SIGTRAP or SIGILL if the heap is exhausted. The watchdog sends SIGABRT if the whole
 * process needs too much memory.
 */
function reasonOf(signal: NodeJS.Signals | null): EndReason {
  switch (signal) {
    case 'SIGABRT':
    case 'SIGTRAP':
    case 'SIGILL':
      return 'memory';
    case 'SIGXCPU':
      return 'blocked';
    case 'SIGKILL':
    case 'SIGTERM':
    case 'SIGINT':
    case 'SIGHUP':
      return 'killed';
    default:
      return 'crashed';
  }
}

/** `work` is not cancelled, so the caller must end it, for example by closing the connection that it uses. */
export function within<Value>(millis: number, work: Promise<Value>, late: () => Error): Promise<Value> {
  let timer: NodeJS.Timeout;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), millis);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
