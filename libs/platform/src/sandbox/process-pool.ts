import { Semaphore } from '@app/kernel';
import { ConfinedProcess, type ConfinedProgram, within } from './confined-process.js';
import {
  type EndReason,
  ProcessEnded,
  type SandboxLimit,
  SandboxLimitExceeded,
  SandboxUnavailable,
} from './sandbox-errors.js';

const START_MILLIS = 60_000;

export interface PoolSettings {
  /** Path of a compiled module that exports `handle(request): Promise<result>`. */
  program: string;
  processes: number;
  heapMegabytes: number;
  totalMegabytes: number;
  /** Unlike elapsed time, CPU time does not depend on the load of the machine. */
  cpuMillis: number;
  /** This limit ends code that waits forever without using CPU time. */
  millis: number;
  /** Default: it waits for the next request. */
  endsAfterRequest?: boolean;
  /** Only tests set it, because they run from sources. */
  host?: string;
  /** Only tests set it. */
  folder?: string;
}

/** `killed` and `closed` are missing, because a request does not cause them. */
const LIMITS: Partial<Record<EndReason, SandboxLimit>> = {
  blocked: 'time',
  timeout: 'time',
  memory: 'memory',
  crashed: 'crashed',
};

/** Calls a function of the program in the process. */
export type ProcessCall = <Value>(method: string, argument?: unknown) => Promise<Value>;

/** If all processes are busy, further requests wait in memory, first in, first out. */
export class ProcessPool<Request extends object, Result> {
  private readonly idle: ConfinedProcess[] = [];
  private readonly all = new Set<ConfinedProcess>();
  private readonly slots: Semaphore;
  private isClosed = false;

  constructor(private readonly settings: PoolSettings) {
    this.slots = new Semaphore(settings.processes);
  }

  /**
   * @param signal if it aborts, the wait for a process ends, but a call in progress continues
   * @throws SandboxLimitExceeded, SandboxUnavailable or SandboxFailure
   */
  handle(request: Request, signal?: AbortSignal): Promise<Result> {
    return this.use((call) => call<Result>('handle', { ...request }), signal);
  }

  /**
   * Reserves one process for work that consists of several calls. The limits hold for each call.
   * @throws the errors of {@link handle} and of the work
   */
  use<Value>(work: (call: ProcessCall) => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    return this.slots.run(async () => {
      // If the process is killed, the work is repeated once. If the second process is killed too, the service assumes
      // that the work is the cause.
      const answer = (await this.inProcess(work)) ?? (await this.inProcess(work));
      if (!answer) throw new SandboxLimitExceeded('memory');
      return answer.value;
    }, signal);
  }

  /** Requests in progress are rejected with SandboxUnavailable. */
  close(): void {
    this.isClosed = true;
    for (const child of this.all) child.kill();
  }

  private async inProcess<Value>(work: (call: ProcessCall) => Promise<Value>): Promise<{ value: Value } | undefined> {
    const child = this.idle.pop() ?? (await this.start());
    try {
      return { value: await work((method, argument) => child.call(method, argument, this.settings.millis)) };
    } catch (error) {
      if (!(error instanceof ProcessEnded)) throw error;
      if (error.reason === 'closed') throw new SandboxUnavailable('The process pool is closed.', { cause: error });
      const limit = LIMITS[error.reason];
      if (limit) throw new SandboxLimitExceeded(limit);
      return undefined;
    } finally {
      if (this.settings.endsAfterRequest) child.kill();
      else if (child.isRunning) this.idle.push(child);
    }
  }

  private async start(): Promise<ConfinedProcess> {
    if (this.isClosed) throw new SandboxUnavailable('The process pool is closed.');
    const { totalMegabytes: memoryMegabytes, program, heapMegabytes, cpuMillis, host, folder } = this.settings;
    const own = { ...(host && { host }), ...(folder && { folder }) };
    const limits: ConfinedProgram = { program, heapMegabytes, memoryMegabytes, cpuMillis, ...own };
    const child = new ConfinedProcess(limits);
    this.all.add(child);
    void child.ended.then(() => {
      this.all.delete(child);
      const place = this.idle.indexOf(child);
      if (place >= 0) this.idle.splice(place, 1);
    });
    try {
      await within(START_MILLIS, child.ready, () => new Error(`The start took more than ${START_MILLIS / 1_000} s.`));
      return child;
    } catch (cause) {
      child.kill();
      const why = (cause as Error).message;
      throw new SandboxUnavailable(`A process for untrusted data could not start: ${why}`, { cause });
    }
  }
}
