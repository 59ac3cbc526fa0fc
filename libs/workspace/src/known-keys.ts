import { Clock, ReadCache } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { Principal } from './principal.js';

export interface KnownKey {
  principal: Principal;
  expiresAt: Date | null;
}

// What another process changed is seen after this time at the latest. The promise is 10 s; the rest of it is left to a
// slow read.
const MAX_AGE_MILLIS = 5_000;
const KNOWN_KEYS = 10_000;

/** What this process remembers of the keys that were presented to it, by the hash of their text. */
@Injectable()
export class KnownKeys {
  readonly ordinary: ReadCache<KnownKey>;
  /** Apart from the others, so that nobody who is in a hurry joins a read that waits for a connection. */
  readonly urgent: ReadCache<KnownKey>;

  constructor(clock: Clock) {
    const settings = { limit: KNOWN_KEYS, maxAgeMillis: MAX_AGE_MILLIS, clock };
    this.ordinary = new ReadCache(settings);
    this.urgent = new ReadCache(settings);
  }

  /**
   * For after the commit of whatever takes something from a key: in this process it holds from the next request on. All
   * keys are read again, since such changes are rare and reading one costs one statement.
   */
  forget(): void {
    this.ordinary.invalidateAll();
    this.urgent.invalidateAll();
  }
}
