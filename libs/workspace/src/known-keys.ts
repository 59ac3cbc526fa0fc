import { Clock, ReadCache } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { Principal } from './principal.js';

export interface KnownKey {
  principal: Principal;
  expiresAt: Date | null;
}

// A change by another process is seen within this time. The documented limit is 10 s, which leaves 5 s for a slow read.
const MAX_AGE_MILLIS = 5_000;
const KNOWN_KEYS = 10_000;

/** Cache of the API keys presented to this process, by the hash of their text. */
@Injectable()
export class KnownKeys {
  readonly ordinary: ReadCache<KnownKey>;
  /** A separate cache, so that an urgent read never joins an ordinary read that waits for a connection. */
  readonly urgent: ReadCache<KnownKey>;

  constructor(clock: Clock) {
    const settings = { limit: KNOWN_KEYS, maxAgeMillis: MAX_AGE_MILLIS, clock };
    this.ordinary = new ReadCache(settings);
    this.urgent = new ReadCache(settings);
  }

  /**
   * Call after the commit of a change that restricts a key; the next request in this process sees it. Invalidates all
   * keys, because such changes are rare and reading one key costs one statement.
   */
  forget(): void {
    this.ordinary.invalidateAll();
    this.urgent.invalidateAll();
  }
}
