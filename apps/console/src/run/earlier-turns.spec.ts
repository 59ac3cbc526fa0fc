import { earlierTurns } from './earlier-turns.js';
import type { Transcript, Turn } from './transcript-types.js';

const turn = (n: number, path: string): Turn => ({
  n,
  path,
  prompt_n: 2,
  prompt: null,
  messages: [{ role: 'user', text: 'Hello' }],
  answer: { text: 'Good day', calls: [] },
});

const read = (next: number | undefined, ...turns: Turn[]): Transcript => ({
  run: 'run_1',
  turns,
  ...(next !== undefined && { next_after_n: next }),
});

describe('the turns before a turn', () => {
  const last = turn(9, 'lines[1].triage.turn[2]');

  it('are those of its conversation, with their messages and answers', () => {
    const first = turn(7, 'lines[1].triage.turn[1]');
    const found = earlierTurns(
      read(undefined, turn(2, 'lines[0].triage.turn[1]'), first, last, turn(11, last.path)),
      last,
    );
    expect(found).toEqual({ turns: [first], messages: 2, isPart: false });
  });

  it('are only some of them if further turns follow what was read', () => {
    expect(earlierTurns(read(7, turn(7, 'lines[1].triage.turn[1]')), last).isPart).toBe(true);
    expect(earlierTurns(read(12, last), last).isPart).toBe(false);
  });
});
