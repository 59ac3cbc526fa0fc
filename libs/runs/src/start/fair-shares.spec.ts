import type { Clock } from '@app/kernel';
import { FairShares } from './new-runs.service.js';

function order(starts: { workspace: string; at: number }[]): string[] {
  const time = { now: 0 };
  const clock: Clock = { now: () => new Date(0), monotonicMillis: () => time.now, sleep: () => Promise.resolve() };
  const shares = new FairShares(clock);
  const placed = starts.map(({ workspace, at }, index) => {
    time.now = at;
    return { name: `${workspace}${index}`, place: at - shares.headStart(workspace) };
  });
  return placed.sort((a, b) => a.place - b.place).map(({ name }) => name);
}

const times = (count: number, workspace: string, at: number) =>
  Array.from({ length: count }, () => ({ workspace, at }));

describe('fair shares', () => {
  it('take a run of a quiet workspace long before the end of another one’s backlog', () => {
    const taken = order([...times(10_000, 'busy', 1_000_000), ...times(1, 'quiet', 1_001_000)]);
    expect(taken.indexOf('quiet10000')).toBeLessThan(60);
  });

  it('take two backlogs in turn', () => {
    const taken = order([...times(1_000, 'a', 1_000_000), ...times(1_000, 'b', 1_000_000)]);
    const half = taken.slice(0, 1_000).filter((name) => name.startsWith('a')).length;
    expect(half).toBeGreaterThan(490);
    expect(half).toBeLessThan(510);
  });

  it('keep the order of the runs of one workspace, whatever its load', () => {
    const starts = Array.from({ length: 30_000 }, (_, n) => ({ workspace: 'a', at: 1_000_000 + n * 7 }));
    expect(order(starts)).toEqual(starts.map((_, index) => `a${index}`));
  });

  it('keep the order of arrival among workspaces that start a run now and then', () => {
    const starts = Array.from({ length: 50 }, (_, n) => ({ workspace: `w${n % 5}-`, at: 1_000_000 + n * 500 }));
    expect(order(starts)).toEqual(starts.map(({ workspace }, index) => `${workspace}${index}`));
  });
});
