import type { Outbound } from '../interpreter/plan.js';
import { isWrite } from './step-records.js';

interface InFlight {
  isWrite: boolean;
  settled: Promise<void>;
}

/** The calls of one run that have begun and not ended. Reads may overlap; of writes there is one at a time. */
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

  /** `settled` resolves when the result of the call has been taken note of. */
  add(call: Outbound, settled: Promise<void>): void {
    const done = settled.finally(() => this.calls.delete(call.path));
    // Whoever waits sees the rejection; a call that nobody waits for any more must not end the process with it.
    done.catch(() => undefined);
    this.calls.set(call.path, { isWrite: isWrite(call), settled: done });
  }

  /** Resolves when the next of them has settled; at once when there is none. */
  async next(): Promise<void> {
    if (this.calls.size > 0) await Promise.race([...this.calls.values()].map((call) => call.settled));
  }

  async all(): Promise<void> {
    await Promise.all([...this.calls.values()].map((call) => call.settled));
  }
}
