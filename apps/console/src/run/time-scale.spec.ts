import type { TraceStep } from '../data/api.js';
import { timeScale } from './time-scale.js';

const BEGIN = Date.parse('2026-01-31T08:00:00Z');

const step = (start: number, duration: number | null, more: object = {}): TraceStep =>
  ({
    n: 1,
    type: 'tool_call',
    status: 'succeeded',
    at: new Date(BEGIN + start).toISOString(),
    duration_ms: duration,
    ...more,
  }) as TraceStep;

describe('the timeline', () => {
  it('is linear without long pauses', () => {
    const { position, gaps } = timeScale([step(0, 400), step(500, 500)], BEGIN);
    expect(gaps).toEqual([]);
    expect([0, 250, 1_000].map((time) => position(BEGIN + time))).toEqual([0, 0.25, 1]);
  });

  it('draws a wait of hours short, and says for whom the run waited', () => {
    const hours = 14 * 3_600_000;
    const approval = step(1_000, hours, { type: 'approval', status: 'approved', approvers: ['finance'] });
    const { position, gaps, reasonOf } = timeScale([step(0, 1_000), approval, step(1_000 + hours, 1_000)], BEGIN);
    expect(gaps).toEqual([{ start: BEGIN + 1_000, end: BEGIN + 1_000 + hours }]);
    expect(gaps.map(reasonOf)).toEqual(['for finance']);
    expect(position(BEGIN)).toBe(0);
    expect(position(BEGIN + 1_000)).toBeGreaterThan(0.4);
    expect(position(BEGIN + hours + 1_000)).toBeLessThan(0.6);
    expect(position(BEGIN + hours + 2_000)).toBe(1);
  });

  it('takes the approvers from the approval where the trace has only a summary', () => {
    const hour = 3_600_000;
    const wait = step(1_000, hour, { type: 'approval', status: 'approved' });
    const at = (time: number): string => new Date(BEGIN + time).toISOString();
    const approvals = [{ opened_at: at(1_000), decided_at: at(1_000 + hour), approvers: ['finance', 'legal'] }];
    const { gaps, reasonOf } = timeScale([step(0, 1_000), wait, step(1_000 + hour, 1_000)], BEGIN, approvals);
    expect(gaps.map(reasonOf)).toEqual(['for finance, legal']);
  });

  it('never goes backwards', () => {
    const steps = [0, 5_000, 60_000, 61_000, 3_600_000].map((start) => step(start, 700));
    const { position } = timeScale(steps, BEGIN);
    const places = Array.from({ length: 400 }, (_, index) => position(BEGIN + index * 9_100));
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it('lets a running step grow until now', () => {
    const { position } = timeScale([step(0, 500), step(500, null, { status: 'running' })], BEGIN + 2_000);
    expect(position(BEGIN + 500)).toBe(0.25);
  });
});
