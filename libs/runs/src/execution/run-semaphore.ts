import { type WorkerConfig, workerConfig } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';

/** Gives the slot back; whether it had not been given back before. */
export type ReleaseSlot = () => boolean;

/** How many runs this process carries out at a time, whether the queue or the poller found them. */
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
      // A slot passes straight on to whoever waits for one.
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
      return true;
    };
  }
}
