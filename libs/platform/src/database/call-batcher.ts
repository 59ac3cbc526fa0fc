export interface CallMaker<Row> {
  one(call: string): Promise<Row | undefined>;
  /**
   * Returns a row for each executed call, by the position of the call in `calls`. A call without a row was not executed
   * and must be passed to `one`.
   */
  many(calls: readonly string[]): Promise<ReadonlyMap<number, Row>>;
}

interface WaitingCall<Row> {
  call: string;
  resolve: (row: Row | undefined) => void;
  reject: (error: unknown) => void;
}

/** Maximum number of concurrent batches. While Postgres writes one batch to disk, it can execute a second batch. */
const BATCHES = 2;
/** Fewer calls wait for the batch in progress, because a batch costs Postgres as much as several of its calls. */
const MIN_CALLS_OF_SECOND = 8;
const MAX_CALLS = 32;
/** The transaction of a batch holds the locks of all its calls, so it must stay short. */
const MAX_TEXT = 512 * 1024;
const SLOW_BATCH_MILLIS = 50;

/**
 * Calls in the same turn of the event loop form a batch: they share one round trip and one commit. Calls that arrive
 * while a batch is in progress wait and form the next batch.
 */
export class CallBatcher<Row> {
  private readonly waiting: WaitingCall<Row>[] = [];
  private underWay = 0;
  private isGathering = false;

  constructor(private readonly maker: CallMaker<Row>) {}

  call(call: string): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ call, resolve, reject });
      this.gather();
    });
  }

  private gather(): void {
    if (this.isGathering || this.waiting.length < this.fewestCalls) return;
    this.isGathering = true;
    setImmediate(() => {
      this.isGathering = false;
      this.send();
      this.gather();
    });
  }

  private get fewestCalls(): number {
    if (this.underWay === 0) return 1;
    return this.underWay < BATCHES ? MIN_CALLS_OF_SECOND : Infinity;
  }

  private send(): void {
    let counts = true;
    const leave = (): void => {
      if (!counts) return;
      counts = false;
      clearTimeout(slow);
      this.underWay -= 1;
      this.gather();
    };
    const slow = setTimeout(leave, SLOW_BATCH_MILLIS).unref();
    this.underWay += 1;
    void this.make(this.take()).finally(leave);
  }

  private take(): WaitingCall<Row>[] {
    let text = 0;
    const fits = this.waiting.findIndex(({ call }, position) => {
      text += call.length;
      return position === MAX_CALLS || (position > 0 && text > MAX_TEXT);
    });
    return this.waiting.splice(0, fits === -1 ? this.waiting.length : fits);
  }

  /** Never rejects, because each call settles with its own result. */
  private async make(batch: readonly WaitingCall<Row>[]): Promise<void> {
    try {
      const rows = batch.length > 1 ? await this.maker.many(batch.map(({ call }) => call)) : new Map<number, Row>();
      const leftOut = batch.filter(({ resolve }, position) => {
        const row = rows.get(position);
        if (row !== undefined) resolve(row);
        return row === undefined;
      });
      await Promise.all(leftOut.map(({ call, resolve, reject }) => this.maker.one(call).then(resolve, reject)));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
