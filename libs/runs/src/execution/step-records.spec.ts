import type { ToolOperation } from '@app/definition';
import type { AbortReason } from './active-runs.service.js';
import type { Call } from '../interpreter/plan.js';
import { settledResult } from './step-records.js';
import type { ToolCallResult } from '../calls/tool-call.js';

const STEP = { n: 4, path: 'pay', try: 1, state: 'started', request: {}, output: null, error: null } as const;
const UNKNOWN: ToolCallResult = { kind: 'unknown', code: 'timeout', message: 'no answer', detail: {} };
const REFUSED: ToolCallResult = {
  kind: 'refused',
  code: 'tool_error',
  message: 'said 400',
  detail: {},
  permanent: true,
};
const UNANSWERED: ToolCallResult = { ...REFUSED, message: 'no answer', permanent: false, unanswered: true };

const settle = (effect: ToolOperation['effect'], result: ToolCallResult, takenAway?: AbortReason) => {
  const call: Call = {
    kind: 'call',
    path: 'pay',
    stepId: 'pay',
    operation: { effect } as ToolOperation,
    request: {},
    steps: {},
    timeoutMs: 1,
    try: 1,
    delayMs: 0,
  };
  return settledResult(call, STEP, result, takenAway);
};

describe('what is recorded about a call', () => {
  it('is a doubt where an at_most_once call may have been sent, also when the run was taken away', () => {
    expect(settle('at_most_once', UNKNOWN).state).toBe('in_doubt');
    expect(settle('at_most_once', UNKNOWN, 'cancelled').state).toBe('in_doubt');
  });

  it('is a failure that may be tried again where repeating does no harm', () => {
    expect(settle('idempotent', UNKNOWN)).toMatchObject({
      state: 'failed',
      error: { code: 'timeout', unanswered: true },
    });
    expect(settle('read', REFUSED)).toMatchObject({ state: 'failed', error: { permanent: true } });
  });

  it('is left to the next owner when the run was taken away during it', () => {
    expect(settle('idempotent', UNKNOWN, 'stopped').state).toBe('interrupted');
    expect(settle('read', UNANSWERED, 'lease_lost').state).toBe('interrupted');
    expect(settle('at_most_once', UNANSWERED, 'stopped').state).toBe('interrupted');
    expect(settle('read', UNANSWERED, 'cancelled').state).toBe('cancelled');
  });

  it.each(['stopped', 'cancelled', 'lost'] as const)(
    'is what the tool said, also when the run was %s during it',
    (reason) => {
      expect(settle('at_most_once', REFUSED, reason)).toMatchObject({ state: 'failed', error: { permanent: true } });
    },
  );

  it('takes a call back that never left', () => {
    expect(settle('at_most_once', { kind: 'not_started' })).toEqual({ n: 4, state: 'ready' });
  });
});
