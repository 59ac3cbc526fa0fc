import { type Clock, ReadCache } from '@app/kernel';
import type { Principal } from './principal.js';

export interface CachedKey {
  principal: Principal;
  expiresAt: Date | null;
}

// A process therefore notices within 5 s that another process has changed the key. The documentation promises 10 s,
// because the read may be slow.
const MAX_AGE_MILLIS = 5_000;
const MAX_CACHED_KEYS = 10_000;

export class ApiKeyCacheService {
  readonly ordinary: ReadCache<CachedKey>;
  /** It is separate, so that an urgent read never joins an ordinary read that waits for a connection. */
  readonly urgent: ReadCache<CachedKey>;
  readonly sessions: ReadCache<CachedKey>;
  readonly urgentSessions: ReadCache<CachedKey>;

  constructor(clock: Clock) {
    const settings = { limit: MAX_CACHED_KEYS, maxAgeMillis: MAX_AGE_MILLIS, clock };
    this.ordinary = new ReadCache(settings);
    this.urgent = new ReadCache(settings);
    this.sessions = new ReadCache(settings);
    this.urgentSessions = new ReadCache(settings);
  }

  /**
   * Must be called after the commit of a change that restricts a key or ends a session. Invalidates the whole cache:
   * such changes are rare, and to read one key again costs only one statement.
   */
  invalidateAll(): void {
    this.ordinary.invalidateAll();
    this.urgent.invalidateAll();
    this.sessions.invalidateAll();
    this.urgentSessions.invalidateAll();
  }
}
