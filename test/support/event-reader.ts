/** One event of a Server-Sent Events stream. */
export interface SeenEvent {
  event: string;
  id: string;
  data: ReturnType<typeof JSON.parse>;
}

export interface ReaderOptions {
  key: string;
  lastEventId?: string;
}

/**
 * Reads a stream of Server-Sent Events (HTML standard, section 9.2). The caller must read to the end of the stream or
 * call `close`.
 */
export class EventReader implements AsyncIterable<SeenEvent> {
  comments = 0;

  private constructor(
    // This reference prevents garbage collection of the response, which would close the connection.
    private readonly response: Response,
    private readonly connection: AbortController,
  ) {}

  get status(): number {
    return this.response.status;
  }

  get headers(): Headers {
    return this.response.headers;
  }

  static async open(url: string, { key, lastEventId }: ReaderOptions): Promise<EventReader> {
    const connection = new AbortController();
    const response = await fetch(url, {
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'text/event-stream',
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
      signal: connection.signal,
    });
    return new EventReader(response, connection);
  }

  close(): void {
    this.connection.abort();
  }

  async readRest(): Promise<SeenEvent[]> {
    const events: SeenEvent[] = [];
    for await (const event of this) events.push(event);
    return events;
  }

  /** Returns the events up to and including the first one for which `isIt` returns true. Then closes the connection. */
  async readUntil(isIt: (event: SeenEvent) => boolean): Promise<SeenEvent[]> {
    const events: SeenEvent[] = [];
    for await (const event of this) {
      events.push(event);
      if (isIt(event)) return events;
    }
    throw new Error(`The stream ended before: ${JSON.stringify(events)}`);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SeenEvent, void, void> {
    if (!this.response.body) return;
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const chunk of this.response.body) {
        const blocks = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) {
          const event = this.eventOf(block);
          if (event) yield event;
        }
      }
    } finally {
      this.close();
    }
  }

  /**
   * Parses a block of lines of the stream. Returns undefined if the block is a comment or only sets the reconnection
   * time.
   */
  private eventOf(block: string): SeenEvent | undefined {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) this.comments += 1;
      else fields.set(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart());
    }
    const data = fields.get('data');
    if (data === undefined) return undefined;
    return { event: fields.get('event') ?? 'message', id: fields.get('id') ?? '', data: JSON.parse(data) };
  }
}
