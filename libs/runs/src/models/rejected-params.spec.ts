import { APICallError } from '@ai-sdk/provider';
import type { ModelParams } from '@app/definition';
import { recordedRejections, RejectedParams } from './rejected-params.js';
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

/** A provider that rejects one parameter. */
function aProvider(error: object, accepts: (params: ModelParams) => boolean) {
  const sent: ModelParams[] = [];
  const send = (params: ModelParams): Promise<StreamedTurn> => {
    sent.push(params);
    if (accepts(params)) return Promise.resolve(TURN);
    const responseBody = JSON.stringify({ error });
    const message = 'Bad Request';
    const call = { url: 'http://p.example', requestBodyValues: {}, statusCode: 400 };
    return Promise.reject(new APICallError({ ...call, message, responseBody }));
  };
  return { sent, send };
}

describe('a parameter that a provider rejects', () => {
  it('is left out of one repeated request, and of the later requests of the run', async () => {
    const rejected = new RejectedParams();
    const { sent, send } = aProvider({ param: 'top_p' }, ({ topP }) => topP === undefined);
    const call = { runId: 'run_1', model: MODEL, params: { topP: 1, seed: 5 } };
    const warning = { param: 'top_p', reason: expect.stringContaining('rejected') };
    expect(await rejected.ask(call, send)).toMatchObject({ warnings: [warning] });
    expect(await rejected.ask(call, send)).toMatchObject({ warnings: [warning] });
    expect(sent).toEqual([{ topP: 1, seed: 5 }, { seed: 5 }, { seed: 5 }]);
    await rejected.ask({ ...call, runId: 'run_2' }, send);
    expect(sent).toHaveLength(5);
  });

  it('is left out at once by a process that reads it from the recorded steps of the run', async () => {
    const { sent, send } = aProvider({ param: 'top_p' }, ({ topP }) => topP === undefined);
    const call = { runId: 'run_1', model: MODEL, params: { topP: 1, seed: 5 } };
    const { warnings } = await new RejectedParams().ask(call, send);
    const steps = [
      {
        type: 'model_call' as const,
        detail: { warnings: [{ param: 'seed', reason: 'Another reason.' }, ...warnings] },
      },
      { type: 'model_call' as const, detail: null },
    ];
    const rejected = recordedRejections(steps, MODEL);
    expect(rejected).toEqual(['top_p']);
    expect(await new RejectedParams().ask({ ...call, rejected }, send)).toMatchObject({ warnings });
    expect(sent).toEqual([{ topP: 1, seed: 5 }, { seed: 5 }, { seed: 5 }]);
    expect(recordedRejections(steps, { provider: 'p', name: 'other' })).toEqual([]);
  });

  it.each<[ModelParams, number]>([
    [{}, 0],
    [{ cache: '1h' }, 1],
  ])('is reported only if the definition sets it: the cache with %j', async (params, warnings) => {
    const error = { message: 'Unknown parameter: `prompt_cache_key`.' };
    const { sent, send } = aProvider(error, ({ cache }) => cache === 'off');
    const turn = await new RejectedParams().ask({ runId: 'run_1', model: MODEL, params }, send);
    expect(turn.warnings).toHaveLength(warnings);
    expect(sent).toEqual([params, { cache: 'off' }]);
  });
});
