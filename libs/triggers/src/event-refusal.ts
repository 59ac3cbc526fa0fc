import { DomainError } from '@app/kernel';
import type { EventOutcome } from './trigger-intake.service.js';

const STOP_RETRY_SECONDS = 60;

/** It makes senders of webhooks send it again. */
export function stoppedDelivery(): DomainError {
  return new DomainError('workspace_stopped', 'The workspace is stopped. Send the event again later.', {
    kind: 'unavailable',
    retryAfterSeconds: STOP_RETRY_SECONDS,
  });
}

export function eventRefusal(outcome: EventOutcome): DomainError {
  switch (outcome.outcome) {
    case 'filtered':
    case 'refused':
    case 'error':
      return new DomainError('input_invalid', outcome.reason, { errors: outcome.errors });
    case 'key_reused':
      return new DomainError(
        'idempotency_key_reused',
        'This Idempotency-Key was used with another body. Use a new key for a new event.',
      );
    case 'secret_changed':
      return new DomainError(
        'invalid_webhook_secret',
        'The webhook secret is no longer valid. Use the current secret of the agent.',
      );
    case 'busy': {
      const detail = 'The agent has as many runs as its `concurrency` allows. Try again later.';
      return new DomainError('rate_limited', detail, { retryAfterSeconds: 5 });
    }
    case 'archived':
      return new DomainError('agent_archived', 'The agent is archived and starts no more runs.');
    case 'paused':
      return new DomainError(
        'agent_paused',
        'The agent is paused. Send the event again when the agent has been resumed.',
      );
    case 'stopped':
      return new DomainError(
        'workspace_stopped',
        'The workspace is stopped. Runs can be started after an admin resumes it.',
      );
    default:
      return new DomainError('internal_error', `The outcome ${outcome.outcome} of the event is not a rejection.`);
  }
}
