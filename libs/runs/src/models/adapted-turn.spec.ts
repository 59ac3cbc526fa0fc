import { APICallError } from '@ai-sdk/provider';
import type { ModelParams } from '@app/definition';
import type { Prompt } from '../interpreter/prompt.js';
import { AdaptedTurn, type TurnContent } from './adapted-turn.js';
import { RunTurns, type TurnPart } from './run-turns.js';
import type { StreamedTurn } from './turn-call.js';
import { UNKNOWN_USAGE } from './turn-cost.js';

const TURN: StreamedTurn = {
  text: 'hi',
  reasoning: '',
  calls: [],
  finish: 'stop',
  usage: UNKNOWN_USAGE,
  parts: [],
  warnings: [],
};
const MODEL = { provider: 'p', name: 'm' };
const PARTS: TurnPart[] = [{ type: 'reasoning', text: '', options: {} }];
const PROMPT: Prompt = {
  system: '',
  messages: [
    { role: 'user', text: 'hi' },
    { role: 'assistant', text: '', calls: [], turn: 'turn[1]' },
  ],
  tools: [],
  mayCallTools: true,
};

/** A provider that rejects some requests. */
function aProvider(error: object, accepts: (content: TurnContent) => boolean, statusCode = 400) {
  const sent: TurnContent[] = [];
  const send = (content: TurnContent): Promise<StreamedTurn> => {
    sent.push(content);
    if (accepts(content)) return Promise.resolve(TURN);
    const responseBody = JSON.stringify({ error });
    const call = { url: 'http://p.example', requestBodyValues: {}, statusCode };
    return Promise.reject(new APICallError({ ...call, message: 'Bad Request', responseBody }));
  };
  return { sent, send };
}

const aTurn = (params: ModelParams, turns = new RunTurns(), parts = new Map<string, TurnPart[]>()) =>
  new AdaptedTurn({ model: MODEL, params, turns }, PROMPT, parts);

describe('a parameter that a provider rejects', () => {
  it('is left out of one repeated request, and of the later requests of the run', async () => {
    const turns = new RunTurns();
    const { sent, send } = aProvider({ param: 'top_p' }, ({ params }) => params.topP === undefined);
    const warnings = [{ param: 'top_p', reason: 'p/m rejected this parameter. It was left out.' }];
    const first = aTurn({ topP: 1, seed: 5 }, turns);
    await first.ask(send);
    expect(first).toMatchObject({ warnings, facts: { rejected_params: ['top_p'] } });
    const second = aTurn({ topP: 1, seed: 5 }, turns);
    await second.ask(send);
    expect(second).toMatchObject({ warnings, facts: {} });
    expect(sent.map(({ params }) => params)).toEqual([{ topP: 1, seed: 5 }, { seed: 5 }, { seed: 5 }]);
  });

  it.each<[ModelParams, number]>([
    [{}, 0],
    [{ cache: '1h' }, 1],
  ])('is a fact for later requests, but reported only if the definition sets it: the cache with %j', async (params, warnings) => {
    const error = { message: 'Unknown parameter: `prompt_cache_key`.' };
    const { sent, send } = aProvider(error, ({ params: { cache } }) => cache === 'off');
    const turn = aTurn(params);
    await turn.ask(send);
    expect(turn.warnings).toHaveLength(warnings);
    expect(turn.facts).toEqual({ rejected_params: ['cache'] });
    expect(sent.map((content) => content.params)).toEqual([params, { cache: 'off' }]);
  }); // prettier-ignore
});

describe('reasoning that a provider rejects', () => {
  it.each([
    'The encrypted content gAAA could not be verified.',
    'messages.1.content.0: Invalid `signature` in `thinking` block',
    'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`. `thinking` blocks cannot be modified.',
    'Thought signature is not valid.',
    'The thinking block is invalid.',
  ])('is left out of one repeated request and from then on: %s', async (message) => {
    const turns = new RunTurns();
    turns.keep('turn[1]', { n: 2, origin: 'o', bytes: 9 });
    const { sent, send } = aProvider({ message }, ({ parts }) => parts.size === 0);
    const turn = aTurn({ effort: 'low' }, turns, new Map([['turn[1]', PARTS]]));
    expect(await turn.ask(send)).toBe(TURN);
    expect(sent.map(({ parts, mayThink, params }) => [parts.size, mayThink, params.effort])).toEqual([
      [1, true, 'low'],
      [0, false, 'low'],
    ]);
    expect(turn.facts).toEqual({ reasoning_dropped: true });
    expect(turns.rejectsReasoning(MODEL)).toBe(true);
  });

  it('stays left out if a parameter is rejected too', async () => {
    const { sent, send } = aProvider(
      { message: 'Neither `top_p` nor a signature is accepted.' },
      ({ parts, params }) => parts.size === 0 && params.topP === undefined,
    );
    const turn = aTurn({ topP: 1 }, new RunTurns(), new Map([['turn[1]', PARTS]]));
    await turn.ask(send);
    expect(sent.map(({ parts, params }) => [parts.size, params])).toEqual([
      [1, { topP: 1 }],
      [0, { topP: 1 }],
      [0, {}],
    ]);
    expect(turn.facts).toEqual({ rejected_params: ['top_p'], reasoning_dropped: true });
  });

  it.each<[string, number, number]>([
    ['without any in the request', 400, 0],
    ['with another status', 422, 1],
  ])('is a failure %s', async (_, status, size) => {
    const { sent, send } = aProvider({ message: 'Invalid signature.' }, () => false, status);
    const parts = new Map(size > 0 ? [['turn[1]', PARTS]] : []);
    const turn = aTurn({}, new RunTurns(), parts);
    await expect(turn.ask(send)).rejects.toThrow('Bad Request');
    expect(sent).toHaveLength(1);
    expect(turn.facts).toEqual({});
  });

  it('is a fact although the repeated request fails', async () => {
    const { sent, send } = aProvider({ message: 'Invalid signature.' }, () => false);
    const turn = aTurn({}, new RunTurns(), new Map([['turn[1]', PARTS]]));
    await expect(turn.ask(send)).rejects.toThrow('Bad Request');
    expect(sent).toHaveLength(2);
    expect(turn.facts).toEqual({ reasoning_dropped: true });
  });
});
