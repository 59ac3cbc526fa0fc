import type { AnyStep } from './step-facts.js';
import { compareTraces, isDifferent } from './trace-comparison.js';

const PLACE = { n: 1, id: 'run_1.1', at: '2026-01-31T08:00:00Z', duration_ms: 10 };

const step = (path: string, more: object = {}): AnyStep => ({
  ...PLACE,
  type: 'tool_call',
  path,
  status: 'succeeded',
  request: { a: 1 },
  ...more,
});

const shown = (before: AnyStep[], after: AnyStep[]): string[] =>
  compareTraces(before, after).map(
    ({ before: old, after: young, changed }) => `${old?.path ?? '-'} | ${young?.path ?? '-'} | ${changed.join(' ')}`,
  );

describe('the comparison of two traces', () => {
  it('puts steps of the same path beside each other, and names what differs', () => {
    const before = [step('order'), step('refund', { request: { amount: 20 } })];
    const after = [step('order', { at: 'later' }), step('refund', { status: 'simulated', request: { amount: 25 } })];
    expect(shown(before, after)).toEqual(['order | order | ', 'refund | refund | status request']);
  });

  it('shows steps that only one run has, where they were', () => {
    const before = [step('a'), step('gone'), step('b')];
    const after = [step('a'), step('b'), step('new')];
    expect(shown(before, after)).toEqual(['a | a | ', 'gone | - | ', 'b | b | ', '- | new | ']);
    expect(shown([step('gone'), step('a')], [step('a')])).toEqual(['gone | - | ', 'a | a | ']);
  });

  it('compares the tries of a step one by one', () => {
    const before = [step('read', { status: 'failed' }), step('read')];
    expect(shown(before, [step('read', { status: 'failed' }), step('read')])).toEqual([
      'read | read | ',
      'read | read | ',
    ]);
    expect(shown(before, [step('read')])).toEqual(['read | read | status', 'read | - | ']);
  });

  it('ignores the order of the members of an object', () => {
    const [row] = compareTraces([step('a', { request: { x: 1, y: 2 } })], [step('a', { request: { y: 2, x: 1 } })]);
    expect(row && isDifferent(row)).toBe(false);
  });
});
