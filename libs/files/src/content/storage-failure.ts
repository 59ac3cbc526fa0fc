import { DomainError } from '@app/kernel';
import type { Logger } from '@app/platform/observability';

const RETRY_SECONDS = 5;

export function storageFailure(cause: Error, logger: Logger): DomainError {
  logger.error({ err: cause }, 'files: the storage does not answer');
  const detail = 'The storage of files does not answer. Try again shortly.';
  return new DomainError('unavailable', detail, { cause, retryAfterSeconds: RETRY_SECONDS });
}
