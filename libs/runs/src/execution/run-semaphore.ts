import { type WorkerConfig, workerConfig } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';

/** Releases the slot. Returns false if it was released before. */
export type ReleaseSlot = () => boolean;

/** Limits the runs that this process executes at the same time to `workerConcurrency`. */
@Injectable()
export class RunSemaphore {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(@Inject(workerConfig.KEY) config: WorkerConfig) {
    this.free = config.workerConcurrency;
  }

  /** Resolves when a slot is free, in the order of asking. */
  async acquire(): Promise<ReleaseSlot> {
    const slot = this.tryAcquire();
    if (slot) return slot;
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.occupied();
  }

  tryAcquire(): ReleaseSlot | undefined {
    if (this.free === 0) return undefined;
    this.free -= 1;
    return this.occupied();
  }

  private occupied(): ReleaseSlot {
    let isGivenBack = false;
    return () => {
      if (isGivenBack) return false;
      isGivenBack = true;
      // A released slot goes directly to the longest waiter.
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
      return true;
    };
  }
}
