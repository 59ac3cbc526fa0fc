/** One ring on its way to a worker. */
export interface QueuedJob {
  /** The job's name. */
  name: string;
  payload: object;
}

export interface JobBatcherSettings {
  /** The most rings that wait; a further one is dropped, because a doorbell may be. */
  capacity: number;
  /** The most rings that leave together. */
  batchSize: number;
}

/** What became of rings, for those who count. */
export interface JobBatchObserver {
  sent(count: number): void;
  failed(count: number, error: unknown): void;
  /** An equal ring was waiting already and will do. */
  merged(): void;
  dropped(): void;
}

/**
 * Sends the rings of one queue, one batch at a time: a single ring leaves at once, and what is rung while a batch is on
 * its way leaves together as the next one. So a burst costs few round trips, and low load pays no delay for that.
 */
export class JobBatcher {
  private readonly waiting = new Map<string, QueuedJob>();
  private sending = false;
  private lastSent: Promise<void> = Promise.resolve();

  constructor(
    private readonly send: (rings: readonly QueuedJob[]) => Promise<void>,
    private readonly settings: JobBatcherSettings,
    private readonly observer: JobBatchObserver,
  ) {}

  /** Never throws and never waits. A batch that fails is not sent again: pollers find what it was about. */
  add(ring: QueuedJob): void {
    const key = `${ring.name} ${JSON.stringify(ring.payload)}`;
    if (this.waiting.has(key)) return this.observer.merged();
    if (this.waiting.size >= this.settings.capacity) return this.observer.dropped();
    this.waiting.set(key, ring);
    if (!this.sending) this.lastSent = this.sendAll();
  }

  /** Resolves when nothing is waiting or on its way any more. */
  async idle(): Promise<void> {
    await this.lastSent;
  }

  private async sendAll(): Promise<void> {
    this.sending = true;
    while (this.waiting.size > 0) {
      const batch = this.take();
      try {
        await this.send(batch);
        this.observer.sent(batch.length);
      } catch (error) {
        this.observer.failed(batch.length, error);
      }
    }
    // No await stands between the last look at `waiting` and this line, so no ring can fall between them.
    this.sending = false;
  }

  private take(): QueuedJob[] {
    const batch: QueuedJob[] = [];
    for (const [key, ring] of this.waiting) {
      if (batch.length >= this.settings.batchSize) break;
      batch.push(ring);
      this.waiting.delete(key);
    }
    return batch;
  }
}
