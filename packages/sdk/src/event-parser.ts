export interface ServerEvent {
  type: string;
  data: string;
  id: string | undefined;
}

/** A piece may end anywhere, even within a line. */
export class EventParser {
  /** Id of the last event that had an id. A new connection continues after this event. */
  lastId: string | undefined;
  /** Milliseconds before a reconnect, as requested by the service. */
  retryMillis: number | undefined;
  #rest = '';
  #endedWithReturn = false;
  #type = '';
  #data: string[] = [];
  #id: string | undefined;

  constructor(lastId?: string) {
    this.lastId = lastId;
  }

  /** Adds a piece of the stream, and yields the events that end in this piece. */
  *push(text: string): Generator<ServerEvent, void, void> {
    if (text === '') return;
    const piece = this.#endedWithReturn ? text.replace(/^\n/, '') : text;
    this.#endedWithReturn = text.endsWith('\r');
    const lines = (this.#rest + piece).split(/\r\n|\n|\r/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '') this.#readField(line);
      else yield* this.#endBlock();
    }
  }

  #readField(line: string): void {
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'event') this.#type = value;
    if (field === 'data') this.#data.push(value);
    if (field === 'id' && !value.includes('\0')) this.#id = value;
    if (field === 'retry' && /^\d+$/.test(value)) this.retryMillis = Number(value);
  }

  /** A block without data yields no event, but its id becomes `lastId`. */
  *#endBlock(): Generator<ServerEvent, void, void> {
    const event = { type: this.#type || 'message', data: this.#data.join('\n'), id: this.#id };
    const isEvent = this.#data.length > 0;
    this.lastId = this.#id ?? this.lastId;
    this.#type = '';
    this.#data = [];
    this.#id = undefined;
    if (isEvent) yield event;
  }
}
