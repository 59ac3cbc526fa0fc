import { linkedSignal } from './timing.js';

export interface Page<Item> {
  data: Item[];
  next_cursor?: string | null;
}

export type ReadPage<P> = (cursor: string | undefined, signal?: AbortSignal) => Promise<P>;

/**
 * A list of the API. `await` returns its first page, and `for await` iterates over the items of all pages. Each `await`
 * and each `for await` begins with a new request for the first page. While the program handles the items of a page, the
 * client already requests the next page.
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

  async *pages(): AsyncGenerator<P, void, void> {
    const linked = linkedSignal(this.#signal);
    try {
      let next: Promise<P> | undefined = this.#read(undefined, linked.signal);
      while (next !== undefined) {
        const page: P = await next;
        const { next_cursor: cursor } = page;
        next = typeof cursor === 'string' ? this.#read(cursor, linked.signal) : undefined;
        // The next page is requested before the program needs it. If this request fails, its error is thrown when the
        // program asks for the page. If the program stops the iteration before, the error is ignored.
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
