import { ADMINS_DECIDE } from '../interpreter/policy.js';
import type { GatedIntent } from './pauses.js';
import { WaitingTime } from './waiting-time.js';

type Span = [number, number];

const waiting = (maxWaitMs: number, ...spans: (Span | null)[]) =>
  new WaitingTime(
    spans.map((waited) => ({ waited })),
    maxWaitMs,
  );

describe('the time that a run may wait', () => {
  it.each<[string, (Span | null)[], number]>([
    ['all of it before the first wait', [], 1_000],
    ['less by what was waited', [[0, 300], null, [500, 600]], 600],
    [
      'less by what is waited side by side once, in whatever order it is on record',
      [
        [100, 200],
        [0, 300],
        [250, 400],
      ],
      600,
    ],
    ['rounded up, so that it is never over too early', [[0, 300.5]], 700],
  ])('is %s', (_, spans, left) => {
    expect(waiting(1_000, ...spans)).toMatchObject({ leftMs: left, exceeded: undefined });
  });

  it('is over when nothing of it is left', () => {
    expect(waiting(1_000, [0, 1_000]).exceeded).toMatchObject({ code: 'timeout', step: null });
  });

  it('limits how long an approval is open', () => {
    const rule = { ...ADMINS_DECIDE, timeoutMs: 500 };
    const ways = { onReject: 'fail', handOffTo: [], failureIsHandled: false, show: {} } as const;
    const gate = { kind: 'step', policy: 'board', reason: 'board', rule, ...ways } as const;
    const intent: GatedIntent = { type: 'approval', path: 'sign', gate };
    expect(waiting(1_000, [0, 800]).limited(intent)).toMatchObject({
      path: 'sign',
      gate: { rule: { timeoutMs: 200 } },
    });
    expect(waiting(1_000).limited(intent)).toEqual(intent);
  });
});
