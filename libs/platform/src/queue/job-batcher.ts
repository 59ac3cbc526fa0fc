import { Semaphore } from '@app/kernel';

export interface QueuedJob {
  name: string;
  payload: object;
}

export interface JobBatcherSettings {
  /** The work of dropped jobs is not lost, because workers also poll for it. */
  capacity: number;
  batchSize: number;
}

export interface JobBatchObserver {
  sent(count: number): void;
  failed(count: number, error: unknown): void;
  merged(): void;
  dropped(): void;
}

/** Jobs that arrive while a batch is being sent form the next batch, so a burst costs few round trips. */
export class JobBatcher {
  private readonly waiting = new Map<string, QueuedJob>();
  private sending = false;
  private lastSent: Promise<void> = Promise.resolve();

  constructor(
    private readonly send: (jobs: readonly QueuedJob[]) => Promise<void>,
    private readonly settings: JobBatcherSettings,
    private readonly observer: JobBatchObserver,
  ) {}

  /** If sending a batch fails, the batch is not sent again, because workers also find the work by polling. */
  add(job: QueuedJob): void {
    const key = `${job.name} ${JSON.stringify(job.payload)}`;
    if (this.waiting.has(key)) return this.observer.merged();
    if (this.waiting.size >= this.settings.capacity) return this.observer.dropped();
    this.waiting.set(key, job);
    if (!this.sending) this.lastSent = this.sendAll();
  }

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
    // There is no await between the last check of `waiting` and this line, so no job can be missed.
    this.sending = false;
  }

  private take(): QueuedJob[] {
    const batch: QueuedJob[] = [];
    for (const [key, job] of this.waiting) {
      if (batch.length >= this.settings.batchSize) break;
      batch.push(job);
      this.waiting.delete(key);
    }
    return batch;
  }
}

const PACK = 'rings.pack';
const MAX_JOBS = 16;
/** The jobs of a burst are distributed to at least this many packs, so that several workers share the work. */
const SHARES = 4;

/**
 * Combines the jobs of a burst into fewer jobs (packs), because each job costs its store and the worker several
 * commands. Workers of other releases also read packs, so the field names of a pack must not change.
 */
export function packJobs(jobs: readonly QueuedJob[]): QueuedJob[] {
  const size = Math.min(MAX_JOBS, Math.ceil(jobs.length / SHARES));
  if (size <= 1) return [...jobs];
  const packs: QueuedJob[] = [];
  for (let from = 0; from < jobs.length; from += size)
    packs.push({ name: PACK, payload: { rings: jobs.slice(from, from + size) } });
  return packs;
}

/** The payloads are external input and are not checked here. */
export function unpackJobs(name: string, data: unknown): { name: string; data: unknown }[] {
  if (name !== PACK) return [{ name, data }];
  const jobs: unknown = typeof data === 'object' && data !== null && 'rings' in data ? data.rings : undefined;
  return Array.isArray(jobs) ? jobs.filter(isJob).map((job) => ({ name: job.name, data: job.payload })) : [];
}

/** Processes the jobs of packs. Of all jobs together, at most `concurrency` run at the same time. */
export class PackProcessor {
  private readonly slots: Semaphore;
  private isPaused = false;

  /** @param processJob must not reject */
  constructor(
    concurrency: number,
    private readonly processJob: (name: string, data: unknown) => Promise<void>,
  ) {
    this.slots = new Semaphore(concurrency);
  }

  /** Drops the jobs that have not begun. Workers find the work of these jobs by polling. */
  pause(): void {
    this.isPaused = true;
  }

  async process(name: string, data: unknown): Promise<void> {
    await Promise.all(unpackJobs(name, data).map((job) => this.processOne(job.name, job.data)));
  }

  private processOne(name: string, data: unknown): Promise<void> {
    return this.slots.run(async () => {
      if (!this.isPaused) await this.processJob(name, data);
    });
  }
}

function isJob(value: unknown): value is { name: string; payload: unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'payload' in value
  );
}
