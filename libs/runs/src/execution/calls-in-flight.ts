import type { Outbound } from '../interpreter/plan.js';
import { isWrite } from './step-records.js';

interface InFlight {
  isWrite: boolean;
  settled: Promise<void>;
}

export class CallsInFlight {
  private readonly calls = new Map<string, InFlight>();

  get size(): number {
    return this.calls.size;
  }

  get hasWrite(): boolean {
    return [...this.calls.values()].some((call) => call.isWrite);
  }

  has(path: string): boolean {
    return this.calls.has(path);
  }

  /** `settled` resolves when the result of the call is recorded in the attempt. */
  add(call: Outbound, settled: Promise<void>): void {
    const done = settled.finally(() => this.calls.delete(call.path));
    // `next` and `all` still reject. Without this handler, a rejection that is not awaited ends the process.
    done.catch(() => undefined);
    this.calls.set(call.path, { isWrite: isWrite(call), settled: done });
  }

  /** Resolves when the next call settles; at once if no call is under way. */
  async next(): Promise<void> {
    if (this.calls.size > 0) await Promise.race([...this.calls.values()].map((call) => call.settled));
  }

  async all(): Promise<void> {
    await Promise.all([...this.calls.values()].map((call) => call.settled));
  }
}
