import { linkedSignal } from './timing.js';

/** A page of a list, as the API returns it. */
export interface Page<Item> {
  data: Item[];
  /** Absent on the last page. Null on the last page of a state. */
  next_cursor?: string | null;
}

/** Reads the page at `cursor`, or the first page. */
export type ReadPage<P> = (cursor: string | undefined, signal?: AbortSignal) => Promise<P>;

/**
 * A list of the API. `await` returns its first page, `for await` iterates over all its items. No request is sent before
 * that. While the items of a page are read, only the next page is requested in advance.
 */
export class List<Item, P extends Page<Item> = Page<Item>> implements Promise<P>, AsyncIterable<Item> {
  readonly [Symbol.toStringTag] = 'List';
  readonly #read: ReadPage<P>;
  readonly #signal: AbortSignal | undefined;

  constructor(read: ReadPage<P>, signal?: AbortSignal) {
    this.#read = read;
    this.#signal = signal;
  }

  then<Done = P, Failed = never>(
    onDone?: ((page: P) => Done | PromiseLike<Done>) | null,
    onFailed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    return this.#read(undefined, this.#signal).then(onDone, onFailed);
  }

  catch<Failed = never>(onFailed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null): Promise<P | Failed> {
    return this.then(undefined, onFailed);
  }

  finally(onSettled?: (() => void) | null): Promise<P> {
    return this.then().finally(onSettled);
  }

  /** Iterates over all pages. */
  async *pages(): AsyncGenerator<P, void, void> {
    const linked = linkedSignal(this.#signal);
    try {
      let next: Promise<P> | undefined = this.#read(undefined, linked.signal);
      while (next !== undefined) {
        const page: P = await next;
        const { next_cursor: cursor } = page;
        next = typeof cursor === 'string' ? this.#read(cursor, linked.signal) : undefined;
        // An error of the request in advance is thrown when the page is needed. It is never thrown if the reader stops
        // before.
        next?.catch(() => undefined);
        yield page;
      }
    } finally {
      linked.abort();
      linked.release();
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, void> {
    for await (const page of this.pages()) yield* page.data;
  }
}
