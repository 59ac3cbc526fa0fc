import type { Call } from '../interpreter/plan.js';
import { type RecordedCall, RecordedCalls, recordedRun } from './recorded-calls.js';

const aRecord = (overrides: Partial<RecordedCall> = {}): RecordedCall => ({
  id: 'run_1.2',
  path: 'order',
  tool: 'shop.get',
  try: 1,
  state: 'succeeded',
  request: { id: 7, expand: { lines: true, customer: null } },
  output: { total: 40 },
  error: null,
  detail: null,
  ...overrides,
});

const aCall = (overrides: { path?: string; tool?: string; request?: Call['request'] } = {}): Call => {
  const { path = 'order', tool = 'shop.get', request = aRecord().request } = overrides;
  // The code under test reads only the name of the operation.
  const operation = { fullName: tool } as Call['operation'];
  return { kind: 'call', path, stepId: path, operation, request, steps: {}, timeoutMs: 1, try: 1, delayMs: 0 };
};

describe('recorded calls', () => {
  it('are found by place, operation and request, in whatever order the request is written', () => {
    const calls = new RecordedCalls([aRecord()]);
    expect(calls.find(aCall({ request: { expand: { customer: null, lines: true }, id: 7 } }))).toEqual(aRecord());
  });

  it.each([
    ['another place', { path: 'orders' }],
    ['another operation', { tool: 'shop.list' }],
    ['another request', { request: { id: 8 } }],
  ])('are not found for %s', (_, overrides) => {
    expect(new RecordedCalls([aRecord()]).find(aCall(overrides))).toBeUndefined();
  });

  it('have the result of the last of several tries', () => {
    const failed = aRecord({ state: 'failed', error: { code: 'tool_error', message: 'busy', step: 'order' } });
    const calls = new RecordedCalls([failed, aRecord({ id: 'run_1.3', try: 2 })]);
    expect(calls.find(aCall())).toMatchObject({ id: 'run_1.3', state: 'succeeded' });
  });

  it('belong only to replays that ask for them', () => {
    expect(recordedRun({ trigger: { type: 'replay', run: 'run_1', tool_results: 'recorded' } })).toBe('run_1');
    expect(recordedRun({ trigger: { type: 'replay', run: 'run_1', tool_results: 'live' } })).toBeUndefined();
    expect(recordedRun({ trigger: { type: 'api', run: 'run_1', tool_results: 'recorded' } })).toBeUndefined();
  });
});
