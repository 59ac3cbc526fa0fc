/** The values of one call, in the order of its statement's parameters. */
export type CallValues = readonly unknown[];

/** How calls are made. */
export interface CallMaker<Row> {
  /** One by itself: its row, if it has one. */
  one(values: CallValues): Promise<Row | undefined>;
  /** Several in one commit: rows by the position of their call. What is missing was not done, and is made one by one. */
  many(calls: readonly CallValues[]): Promise<ReadonlyMap<number, Row>>;
}

interface WaitingCall<Row> {
  values: CallValues;
  resolve: (row: Row | undefined) => void;
  reject: (error: unknown) => void;
}

/** Batches under way at a time: while one waits for the disk, the other one is carried out. */
const BATCHES = 2;
const MOST_CALLS = 32;
/** Characters of text. A commit holds the locks of all its calls, so it stays short. */
const MOST_TEXT = 512 * 1024;
/** Who takes longer probably waits for a lock, and keeps nobody else from going. */
const PATIENCE_MILLIS = 50;

/**
 * Makes the calls of one statement: by itself what comes alone, in one commit what comes in the same turn of the event loop or
 * while others are under way. So low load waits for nothing, and the more there is to do the less each call costs: round
 * trips, commits and switches between processes are shared (group commit).
 */
export class CallBatcher<Row> {
  private readonly waiting: WaitingCall<Row>[] = [];
  private underWay = 0;
  private isGathering = false;

  constructor(private readonly maker: CallMaker<Row>) {}

  /** Rejects with the failure of this very call, or of the connection. */
  call(values: CallValues): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ values, resolve, reject });
      this.gather();
    });
  }

  /** Sends what waits once everybody who is at it now had a turn. */
  private gather(): void {
    if (this.isGathering || this.underWay >= BATCHES || this.waiting.length === 0) return;
    this.isGathering = true;
    setImmediate(() => {
      this.isGathering = false;
      this.send();
      this.gather();
    });
  }

  private send(): void {
    let counts = true;
    const leave = (): void => {
      if (!counts) return;
      counts = false;
      clearTimeout(patience);
      this.underWay -= 1;
      this.gather();
    };
    const patience = setTimeout(leave, PATIENCE_MILLIS).unref();
    this.underWay += 1;
    void this.make(this.take()).finally(leave);
  }

  private take(): WaitingCall<Row>[] {
    let text = 0;
    const fits = this.waiting.findIndex(({ values }, position) => {
      text += textOf(values);
      return position === MOST_CALLS || (position > 0 && text > MOST_TEXT);
    });
    return this.waiting.splice(0, fits === -1 ? this.waiting.length : fits);
  }

  /** Never rejects: each call learns of its own end. */
  private async make(batch: readonly WaitingCall<Row>[]): Promise<void> {
    try {
      const rows = batch.length > 1 ? await this.maker.many(batch.map(({ values }) => values)) : new Map<number, Row>();
      const leftOut = batch.filter(({ resolve }, position) => {
        const row = rows.get(position);
        if (row !== undefined) resolve(row);
        return row === undefined;
      });
      await Promise.all(leftOut.map((call) => this.maker.one(call.values).then(call.resolve, call.reject)));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

function textOf(values: CallValues): number {
  return values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}
