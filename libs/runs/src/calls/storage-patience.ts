import { type Clock, DomainError } from '@app/kernel';
import { EgressError } from '@app/platform/egress';
import { storageDelay } from '../interpreter/retries.js';

/**
 * Repeats work while the storage of files does not answer. The worker waits meanwhile, so a call that can be made again
 * later must not use it.
 * @throws DomainError `unavailable` after 15 minutes; EgressError if the signal is aborted meanwhile
 */
export async function whileStorageRecovers<T>(clock: Clock, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      const delay = isUnavailable(error) ? storageDelay(failures) : null;
      if (delay === null) throw error;
      await clock.sleep(delay, signal).catch(() => undefined);
    }
    assertGoing(signal);
  }
}

export function isUnavailable(error: unknown): error is DomainError {
  return error instanceof DomainError && error.kind === 'unavailable';
}

/** @throws EgressError as a request that is aborted before it is sent */
export function assertGoing({ aborted }: AbortSignal): void {
  if (aborted) throw new EgressError('aborted', 'The call was stopped before anything was sent.', { sent: false });
}
