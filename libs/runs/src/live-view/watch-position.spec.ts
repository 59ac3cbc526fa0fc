import { WatchPosition } from './watch-position.js';

const ended = (n: number) => ({ n, state: 'succeeded' as const, endedAt: new Date(0) });
const started = (n: number) => ({ n, state: 'started' as const, endedAt: null });

describe('the position of a watcher', () => {
  it('resumes after the last step while every step that was seen has ended', () => {
    const position = new WatchPosition('run', 1);
    position.see(ended(2), 'a');
    position.see(ended(3), 'b');
    expect(position).toMatchObject({ seenUpTo: 3, resumesAfter: 3, openRevisions: {} });
  });

  it('resumes before the first step that may still change, whatever was seen after it', () => {
    const position = new WatchPosition('run', 1);
    position.see(ended(2), 'a');
    position.see(started(3), 'b');
    position.see(started(4), 'c');
    position.see(ended(5), 'd');
    expect(position).toMatchObject({ seenUpTo: 5, resumesAfter: 2, openRevisions: { 3: 'b', 4: 'c' } });
    position.see(ended(3), 'e');
    expect(position).toMatchObject({ seenUpTo: 5, resumesAfter: 3, openRevisions: { 4: 'c' } });
    position.see(ended(4), 'f');
    expect(position).toMatchObject({ seenUpTo: 5, resumesAfter: 5, hasCallsUnderWay: false });
  });

  it('tells a call under way from a step that waits', () => {
    const position = new WatchPosition('run', 1);
    position.see({ n: 2, state: 'waiting', endedAt: null }, 'a');
    expect(position.hasCallsUnderWay).toBe(false);
    position.see(started(3), 'b');
    expect(position.hasCallsUnderWay).toBe(true);
  });
});
