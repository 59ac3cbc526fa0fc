import { DomainError, type JsonObject } from '@app/kernel';
import { validateRequest } from '../http/request-validation.js';
import { StopWorkspaceBody } from './emergency-stop.api.js';
import { checkedStopBody, MAX_REASON } from './stop-request.js';

type Outcome = object | { code: string; message: string; errors: unknown };

function outcomeOf(check: () => object): Outcome {
  try {
    return { ...check() };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { code: error.code, message: error.message, errors: error.errors };
  }
}

const wrongOr = (...values: JsonObject[string][]) => [null, true, [], {}, '', ...values];
const BODIES: JsonObject[] = [
  {},
  { reason: 'x', runs: 'cancel', drain_timeout_ms: 0 },
  { raeson: 'x' },
  { config: 1, reason: 5 },
  { reason: 1, runs: 2, drain_timeout_ms: 'a' },
  ...wrongOr(1, 'x'.repeat(MAX_REASON), 'x'.repeat(MAX_REASON + 1)).map((reason) => ({ reason })),
  ...wrongOr('suspend', 'Cancel', 3).map((runs) => ({ runs })),
  ...wrongOr(-1, 1.5, 30_000, 30_001, '5').map((drain_timeout_ms) => ({ drain_timeout_ms })),
];

describe('the body of an emergency stop', () => {
  // The thread of the stop listener has no class-validator. The class describes the body in the OpenAPI document.
  it.each(BODIES.map((body) => [JSON.stringify(body).slice(0, 60), body]))(
    'is checked as the API describes it: %s',
    (_name, body) => {
      const described = outcomeOf(() => validateRequest(StopWorkspaceBody, body, 'body'));
      expect(outcomeOf(() => checkedStopBody(body))).toEqual(described);
    },
  );
});
