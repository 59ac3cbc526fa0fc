import type { Clock } from './clock.js';

export interface ReadCacheSettings {
  /** The most values kept; the one unused for longest goes first. */
  limit: number;
  /** Age at which a value is read again. Infinity for values that never change. */
  maxAgeMillis: number;
  clock: Pick<Clock, 'monotonicMillis'>;
}

interface Remembered<V> {
  value: V;
  readAt: number;
}

/**
 * Remembers what a read answered. The age of a value counts from before its read began, so a change that was committed
 * `maxAgeMillis` ago is always seen. Callers that ask for one key at the same time share one read. Absence (undefined)
 * and failures are not remembered: whoever guesses keys fills no memory.
 */
export class ReadCache<V extends object> {
  // A Map iterates in the order of insertion; reinserting on use makes its first key the one unused for longest.
  private readonly remembered = new Map<string, Remembered<V>>();
  private readonly underWay = new Map<string, Promise<V | undefined>>();

  constructor(private readonly settings: ReadCacheSettings) {}

  /** The remembered value, else what `read` answers. Rejects as `read` does. */
  async get(key: string, read: () => Promise<V | undefined>): Promise<V | undefined> {
    return this.recall(key) ?? this.underWay.get(key) ?? this.readOnce(key, read);
  }

  /** The remembered value, without reading anything. */
  peek(key: string): V | undefined {
    return this.recall(key);
  }

  /** The next `get` reads again; an answer that is still on its way is not remembered. */
  forget(key: string): void {
    this.remembered.delete(key);
    this.underWay.delete(key);
  }

  /** {@link forget} for every key. */
  forgetAll(): void {
    this.remembered.clear();
    this.underWay.clear();
  }

  private recall(key: string): V | undefined {
    const found = this.remembered.get(key);
    if (!found) return undefined;
    this.remembered.delete(key);
    if (this.settings.clock.monotonicMillis() - found.readAt >= this.settings.maxAgeMillis) return undefined;
    this.remembered.set(key, found);
    return found.value;
  }

  private readOnce(key: string, read: () => Promise<V | undefined>): Promise<V | undefined> {
    const readAt = this.settings.clock.monotonicMillis();
    const reading: Promise<V | undefined> = read()
      .then((value) => {
        if (value && this.underWay.get(key) === reading) this.remember(key, { value, readAt });
        return value;
      })
      .finally(() => {
        if (this.underWay.get(key) === reading) this.underWay.delete(key);
      });
    this.underWay.set(key, reading);
    return reading;
  }

  private remember(key: string, entry: Remembered<V>): void {
    this.remembered.set(key, entry);
    for (const oldest of this.remembered.keys()) {
      if (this.remembered.size <= this.settings.limit) return;
      this.remembered.delete(oldest);
    }
  }
}
