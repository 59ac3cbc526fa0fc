import { type Clock, DomainError } from '@app/kernel';
import { EgressError } from '@app/platform/egress';

const PATIENCE_MILLIS = 15 * 60_000;
const FIRST_DELAY_MILLIS = 500;
const LONGEST_DELAY_MILLIS = 30_000;

/**
 * Repeats work while the storage of files does not answer. The work sends nothing.
 * @throws DomainError `unavailable` after 15 minutes; EgressError if the signal is aborted meanwhile
 */
export async function whileStorageRecovers<T>(clock: Clock, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const end = clock.monotonicMillis() + PATIENCE_MILLIS;
  for (let delay = FIRST_DELAY_MILLIS; ; delay = Math.min(2 * delay, LONGEST_DELAY_MILLIS)) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== 'unavailable') throw error;
      if (clock.monotonicMillis() + delay > end) throw error;
    }
    await clock.sleep(delay, signal).catch(() => undefined);
    assertGoing(signal);
  }
}

/** @throws EgressError as a request that is aborted before it is sent */
export function assertGoing({ aborted }: AbortSignal): void {
  if (aborted) throw new EgressError('aborted', 'The call was stopped before anything was sent.', { sent: false });
}
