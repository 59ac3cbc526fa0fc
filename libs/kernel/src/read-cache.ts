import type { Clock } from './clock.js';

export interface ReadCacheSettings {
  /** If the cache is full, the least recently used value is removed. */
  limit: number;
  maxAgeMillis: number;
  clock: Pick<Clock, 'monotonicMillis'>;
}

interface CacheEntry<V> {
  value: V;
  readAt: number;
}

/**
 * An LRU cache of reads. The age of a value counts from the start of its read, so a caller always sees changes that
 * were committed at least `maxAgeMillis` ago. Concurrent callers with the same key share one read. Missing values
 * (undefined) and failures are not cached, so requests with guessed keys do not fill the cache.
 */
export class ReadCache<V extends object> {
  // A Map iterates in insertion order. An entry is inserted again when it is used, so the first key is the least
  // recently used.
  private readonly entries = new Map<string, CacheEntry<V>>();
  private readonly readsInProgress = new Map<string, Promise<V | undefined>>();

  constructor(private readonly settings: ReadCacheSettings) {}

  async get(key: string, read: () => Promise<V | undefined>): Promise<V | undefined> {
    return this.peek(key) ?? this.readsInProgress.get(key) ?? this.readOnce(key, read);
  }

  peek(key: string): V | undefined {
    const found = this.entries.get(key);
    if (!found) return undefined;
    this.entries.delete(key);
    if (this.settings.clock.monotonicMillis() - found.readAt >= this.settings.maxAgeMillis) return undefined;
    this.entries.set(key, found);
    return found.value;
  }

  /** The result of a read in progress is not cached. */
  invalidate(key: string): void {
    this.entries.delete(key);
    this.readsInProgress.delete(key);
  }

  invalidateAll(): void {
    this.entries.clear();
    this.readsInProgress.clear();
  }

  private readOnce(key: string, read: () => Promise<V | undefined>): Promise<V | undefined> {
    const readAt = this.settings.clock.monotonicMillis();
    const reading: Promise<V | undefined> = read()
      .then((value) => {
        if (value && this.readsInProgress.get(key) === reading) this.store(key, { value, readAt });
        return value;
      })
      .finally(() => {
        if (this.readsInProgress.get(key) === reading) this.readsInProgress.delete(key);
      });
    this.readsInProgress.set(key, reading);
    return reading;
  }

  private store(key: string, entry: CacheEntry<V>): void {
    this.entries.set(key, entry);
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.settings.limit) return;
      this.entries.delete(oldest);
    }
  }
}
