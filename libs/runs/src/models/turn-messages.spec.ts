import { SecretRedaction } from '@app/platform/observability';
import type { Prompt } from '../interpreter/prompt.js';
import { RunTurns } from './run-turns.js';
import { MAX_TRACED_CHARACTERS, turnMessages } from './turn-messages.js';

const TOOL = { name: 'look', description: 'Looks', schema: { type: 'object' } };
const INPUT = { role: 'user' as const, text: 'The input' };
const CALL = { role: 'assistant' as const, text: '', calls: [{ id: 'c1', name: 'look', input: {} }], turn: 'turn[1]' };
const RESULT = { role: 'tool' as const, results: [{ id: 'c1', name: 'look', value: { result: { total: 1 } } }] };

const promptOf = (more: Partial<Prompt> = {}): Prompt => ({
  system: 'Do it.',
  messages: [INPUT],
  tools: [TOOL],
  mayCallTools: true,
  ...more,
});

describe('the recorded messages of a turn', () => {
  const record = (n: number, prompt: Prompt, turns = new RunTurns(), secrets: string[] = []) =>
    turnMessages({ n, turns }, prompt, new SecretRedaction(secrets));

  it('are those after the last answer, and the prompt only if no earlier turn sent the same one', () => {
    const turns = new RunTurns();
    expect(record(2, promptOf(), turns)).toEqual({
      promptN: 2,
      prompt: { system: 'Do it.', tools: [{ name: 'look', description: 'Looks', input_schema: { type: 'object' } }] },
      added: [{ role: 'user', text: 'The input' }],
    });
    expect(record(4, promptOf({ messages: [INPUT, CALL, RESULT] }), turns)).toEqual({
      promptN: 2,
      added: [{ role: 'tool', call: 'c1', name: 'look', result: { result: { total: 1 } } }],
    });
    expect(record(6, promptOf({ answerSchema: { type: 'string' } }), turns)).toMatchObject({
      promptN: 6,
      prompt: { response_format: { type: 'string' } },
    });
  });

  it('contain no secret, also at the place where they are truncated', () => {
    const text = `${'a'.repeat(MAX_TRACED_CHARACTERS - 5)}the-secret-key`;
    const { added, prompt } = record(
      2,
      promptOf({ system: 'Use the-secret-key.', messages: [{ role: 'user', text }, RESULT] }),
      new RunTurns(),
      ['the-secret-key'],
    );
    expect(prompt).toMatchObject({ system: 'Use [redacted].' });
    expect(JSON.stringify(added)).not.toContain('the-');
    expect(JSON.stringify(added).length).toBeLessThan(MAX_TRACED_CHARACTERS + 500);
    expect(added).toMatchObject([
      { role: 'user', truncated: true },
      { role: 'tool', result: '', truncated: true },
    ]);
  });

  it('mark what is beyond the limit, and are valid text', () => {
    const big = { result: '😀'.repeat(MAX_TRACED_CHARACTERS) };
    const results = [{ id: 'c1', name: 'look', value: big }];
    const { added, prompt } = record(
      2,
      promptOf({ messages: [{ role: 'tool', results }], tools: [{ ...TOOL, description: '', schema: big }] }),
    );
    expect(added).toMatchObject([{ call: 'c1', truncated: true }]);
    expect(prompt).toMatchObject({ truncated: true });
    for (const text of [added, prompt].map((each) => JSON.stringify(each))) {
      expect(text.slice(0, 150)).toContain('{\\"result\\":\\"😀😀');
      expect(text.isWellFormed()).toBe(true);
      expect(text.length).toBeLessThan(MAX_TRACED_CHARACTERS + 500);
    }
  });
});
