import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';

interface Created {
  id: string;
  webhook_secret: string;
}

const COMPLETE: JsonObject = { name: 'Ada', limit: 5, options: { sort: 'asc' } };

/** Each way to start a run must fill missing fields of its input with the defaults in the definition. */
describe('the defaults of the input', () => {
  let scene: Scene;
  let agent: Created;

  const definition: JsonObject = {
    name: 'defaults',
    input: {
      type: 'object',
      required: ['name', 'limit'],
      properties: {
        name: { type: 'string' },
        limit: { type: 'number', default: 5 },
        options: { $ref: '#/$defs/options' },
      },
      $defs: {
        options: { type: 'object', default: {}, properties: { sort: { enum: ['asc', 'desc'], default: 'asc' } } },
      },
    },
    triggers: [
      { id: 'hook', type: 'webhook', map: { name: '${{ body.name }}' } },
      { id: 'morning', type: 'schedule', cron: '0 7 1 1 *', input: { name: 'Ada' } },
    ],
    steps: [{ id: 'result', output: { limit: '${{ input.limit }}', sort: '${{ input.options.sort }}' } }],
    evaluation: {
      cases: [
        {
          name: 'filled',
          input: { name: 'Ada' },
          assert: [{ type: 'cel', value: 'output.limit == 5.0 && input.options.sort == "asc"' }],
        },
      ],
      gate: {},
    },
  };

  beforeAll(async () => {
    scene = await Scene.start({});
    agent = await scene.stack.client.expect<Created>('POST', '/v1/agents', definition);
  });
  afterAll(() => scene.stop());

  const inputOf = async (id: string) => {
    const run = await eventually(async () => {
      const found = await scene.stack.client.expect<{ status: string; input: JsonObject; output: JsonObject }>(
        'GET',
        `/v1/runs/${id}`,
      );
      expect(found.status).toBe('succeeded');
      return found;
    });
    return run.input;
  };

  it('fill the input of runs that the API starts, of drafts and of replays', async () => {
    const { client } = scene.stack;
    const { id } = await client.startRun(agent.id, { name: 'Ada' });
    expect(await inputOf(id)).toEqual(COMPLETE);
    const replay = { mode: 'test', tool_results: 'recorded' };
    const again = await client.expect<{ id: string }>('POST', `/v1/runs/${id}/replay`, replay);
    expect(await inputOf(again.id)).toEqual(COMPLETE);
    const draft = { definition, input: { name: 'Ada' } };
    const drafted = await client.expect<{ id: string }>('POST', '/v1/definitions/runs', draft);
    expect(await inputOf(drafted.id)).toEqual(COMPLETE);
    const given = await client.startRun(agent.id, { name: 'Ada', limit: 7, options: { sort: 'desc' } });
    expect(await inputOf(given.id)).toEqual({ name: 'Ada', limit: 7, options: { sort: 'desc' } });
  });

  it('never replace null, and are applied before validation', async () => {
    const path = `/v1/agents/${agent.id}/runs`;
    const refused = await scene.stack.client.call('POST', path, { input: { name: 'Ada', limit: null } });
    expect(refused).toMatchObject({
      status: 422,
      body: { code: 'input_invalid', errors: [{ pointer: '/input/limit' }] },
    });
  });

  it('fill the input of runs that a webhook or a schedule starts', async () => {
    const { client } = scene.stack;
    const headers = { 'x-service-webhook-secret': agent.webhook_secret };
    const hook = await client.call<{ run: string }>('POST', `/v1/agents/${agent.id}/trigger`, { name: 'Ada' }, headers);
    expect(await inputOf(hook.body.run)).toEqual(COMPLETE);
    const path = `/v1/agents/${agent.id}/triggers/morning/run`;
    const fired = await client.expect<{ id: string }>('POST', path, {});
    expect(await inputOf(fired.id)).toEqual(COMPLETE);
  });

  it('fill the input of runs that another agent starts, and of the cases of an evaluation', async () => {
    const { client } = scene.stack;
    const parent = await client.createAgent({
      name: 'parent',
      tools: [{ name: 'helper', type: 'agent', agent: 'defaults' }],
      steps: [
        { id: 'help', tool: 'helper.run', with: { name: 'Ada' } },
        { id: 'result', output: '${{ steps.help.output }}' },
      ],
    });
    const { id } = await client.startRun(parent);
    await inputOf(id);
    expect(await client.run(id)).toMatchObject({ output: { limit: 5, sort: 'asc' } });
    const evaluation = await client.expect<{ id: string }>('POST', `/v1/agents/${agent.id}/versions/1/evaluate`);
    await eventually(async () => {
      expect(await client.expect('GET', `/v1/evaluations/${evaluation.id}`)).toMatchObject({ status: 'passed' });
    });
  });

  it('are refused at creation if one does not fit', async () => {
    const input: JsonObject = { type: 'object', properties: { limit: { type: 'number', default: 'five' } } };
    const wrong = { name: 'wrong', input, steps: [{ id: 'result', output: 1 }] };
    expect(await scene.stack.client.call('POST', '/v1/agents', wrong)).toMatchObject({
      status: 422,
      body: { code: 'definition_invalid', errors: [{ pointer: '/input/properties/limit/default' }] },
    });
  });
});
