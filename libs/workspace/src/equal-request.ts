import { DomainError } from '@app/kernel';
import { isLockTimeoutOn } from '@app/platform/database';

/** Tables in which a running request reserves its Idempotency-Key. */
type KeyTable = 'idempotency_keys' | 'trigger_receipts';

/**
 * Returns the result of a request with an Idempotency-Key.
 * @throws DomainError `idempotency_in_progress` if an equal request held the key until the lock timeout
 */
export async function afterEqualRequest<T>(table: KeyTable, request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (!isLockTimeoutOn(error, table)) throw error;
    const detail = 'The first request with this Idempotency-Key is still being carried out. Try again shortly.';
    throw new DomainError('idempotency_in_progress', detail, { cause: error, retryAfterSeconds: 1 });
  }
}
