import type { JsonObject } from '@app/kernel';
import type { TraceAnswer } from './api-client.js';
import { eventually } from './eventually.js';
import { aModelAgent } from './model-agents.js';
import type { Scene } from './scene.js';
import type { Service } from './stack.js';

export const PLACES = ['attic', 'barn', 'cellar'] as const;
const WORD = 'K-417';
export const TRAIL_ANSWER = `The code word is ${WORD}.`;

const INSTRUCTIONS =
  'Find the code word. Look at the place of the input first. What you find there names the next place, until you find ' +
  'the code word. Look at one place at a time. Then answer with the code word.';

/**
 * Lets a model follow a trail of hints: a tool loop in which no call can be made before the turn before it. Expects
 * that it ends with the code word, and that the provider accepts its own reasoning back. Returns the turns.
 */
export async function followHints({ ledger, stack }: Scene<Service>, model: JsonObject): Promise<TraceAnswer['steps']> {
  for (const [index, place] of PLACES.entries()) {
    const next = PLACES[index + 1];
    ledger.always(`/look/${place}`, { body: next ? { hint: `Look at the ${next}.` } : { code_word: WORD } });
  }
  const agent = await stack.client.createAgent(aModelAgent(ledger.url, { model, instructions: INSTRUCTIONS }));
  const { id } = await stack.client.startRun(agent, { begin_at: PLACES[0] });
  const ended = await eventually(async () => {
    const run = await stack.client.run(id);
    expect(run.ended_at).not.toBeNull();
    return run;
  });
  expect(ended).toMatchObject({ status: 'succeeded', output: { text: expect.stringContaining(WORD) } });
  expect(ledger.calls.map(({ path }) => path)).toEqual(expect.arrayContaining(PLACES.map((place) => `/look/${place}`)));
  const turns = (await stack.client.trace(id)).steps.filter(({ type }) => type === 'model_call');
  for (const turn of turns) {
    expect(turn.status).toBe('succeeded');
    expect(turn).not.toHaveProperty('reasoning_dropped');
  }
  return turns;
}
