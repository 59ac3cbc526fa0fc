import type { Prompt } from '../interpreter/prompt.js';
import { RunTurns } from './run-turns.js';
import { cutsLoop } from './turn-states.js';

const MODEL = { provider: 'p', name: 'm' };
const STEP = {
  n: 2,
  path: 'turn[1]',
  type: 'model_call' as const,
  state: 'failed' as const,
  request: { provider: 'p', model: 'm' },
  output: null,
};

describe('the turns of a run', () => {
  it('tell another worker what the model rejected', () => {
    const detail = { rejected_params: ['cache'], reasoning_dropped: true };
    const turns = new RunTurns([{ ...STEP, detail }, { ...STEP, detail: { rejected_params: ['seed'] } }, STEP]);
    expect(turns.rejectedBy(MODEL)).toEqual(['cache', 'seed']);
    expect(turns.rejectsReasoning(MODEL)).toBe(true);
    const other = { ...MODEL, name: 'other' };
    expect(turns.rejectedBy(other)).toEqual([]);
    expect(turns.rejectsReasoning(other)).toBe(false);
  });

  it('count what is kept, also of turns that are released', () => {
    const turns = new RunTurns([{ ...STEP, state: 'succeeded', opaque: { origin: 'o', bytes: 5 } }]);
    turns.keep('turn[2]', { n: 4, origin: 'o', bytes: 3 });
    turns.release('turn[1]');
    expect(turns.keptBytes).toBe(8);
    expect(turns.stateAt('turn[1]')).toBeUndefined();
  });

  it.each<[string, Prompt['messages'], string[], boolean]>([
    ['sends its parts', [{ role: 'assistant', text: '', calls: [], turn: 'turn[1]' }], ['turn[1]'], false],
    ['leaves its parts out', [{ role: 'assistant', text: '', calls: [], turn: 'turn[1]' }], [], true],
    ['had no parts', [{ role: 'assistant', text: '', calls: [], turn: 'turn[2]' }], [], false],
    [
      'was finished by an answer',
      [
        { role: 'assistant', text: 'x', calls: [], turn: 'turn[1]' },
        { role: 'user', text: 'again' },
      ],
      [],
      false,
    ],
  ])('say whether a request cuts an unfinished tool loop, which %s', (_, messages, sent, expected) => {
    const turns = new RunTurns([{ ...STEP, state: 'succeeded', opaque: { origin: 'o', bytes: 5 } }]);
    const prompt = { system: '', messages: [{ role: 'user' as const, text: 'hi' }, ...messages] };
    const parts = new Map(sent.map((path) => [path, []]));
    expect(cutsLoop({ ...prompt, tools: [], mayCallTools: true }, turns, parts)).toBe(expected);
  });
});
