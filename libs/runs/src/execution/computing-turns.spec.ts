import { nextTurn } from '@app/kernel';
import { ComputingTurns } from './computing-turns.js';

describe('runs that compute in one process', () => {
  it('let the event loop have a turn between any two pieces of work', async () => {
    const turns = new ComputingTurns();
    const log: string[] = [];
    const compute = async (name: string, pieces: number): Promise<void> => {
      for (let piece = 1; piece <= pieces; piece++) {
        log.push(name);
        await turns.next(piece);
      }
    };
    const others = async (): Promise<void> => {
      for (let turn = 0; turn < 10; turn++) {
        log.push('.');
        await nextTurn();
      }
    };
    await Promise.all([compute('a', 5), compute('b', 5), compute('c', 5), others()]);
    // The three runs begin their first pieces of work together. After that, a turn of the event loop (`.` in the log)
    // must separate any two pieces.
    expect(log.slice(3).join('')).not.toMatch(/[abc]{2,}(?=.*\.)/);
  });

  it('end one after the other, and let others go first after a while', async () => {
    const turns = new ComputingTurns();
    const ends: string[] = [];
    const compute = async (name: string, pieces: number): Promise<void> => {
      for (let piece = 1; piece <= pieces; piece++) await turns.next(piece);
      ends.push(name);
    };
    await Promise.all([compute('long', 250), compute('short', 20), compute('medium', 90)]);
    expect(ends).toEqual(['medium', 'short', 'long']);
  });
});
