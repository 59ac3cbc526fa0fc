/** Returns false if it was already called. */
export type ReleaseSlot = () => boolean;

/** Callers are served in the order of their calls. */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** @throws the reason of `signal` if it aborts before a slot is free */
  async acquire(signal?: AbortSignal): Promise<ReleaseSlot> {
    signal?.throwIfAborted();
    const slot = this.tryAcquire();
    if (slot) return slot;
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
    return this.occupied();
  }

  tryAcquire(): ReleaseSlot | undefined {
    if (this.free === 0) return undefined;
    this.free -= 1;
    return this.occupied();
  }

  /** @throws the reason of `signal` if it aborts before `work` begins */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const release = await this.acquire(signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  private occupied(): ReleaseSlot {
    let isReleased = false;
    return () => {
      if (isReleased) return false;
      isReleased = true;
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
      return true;
    };
  }
}
