import type { JsonObject, JsonValue } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';

let agents = 0;

/**
 * Unit tests cover each function of the expression language. In this test, agents call the functions with values that
 * pass through the API and Postgres.
 */
describe('functions in a run', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start({});
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  const ended = (id: string) =>
    eventually(async () => {
      const run = await scene.stack.client.run(id);
      expect(run.ended_at).not.toBeNull();
      return run;
    });

  const run = async (steps: JsonObject[], input: JsonObject = {}) => {
    const agent = await scene.stack.client.createAgent({
      name: `functions-${++agents}`,
      tools: [
        {
          name: 'shop',
          type: 'http',
          base_url: scene.ledger.url,
          operations: [{ name: 'read', method: 'GET', path: '/orders' }],
        },
      ],
      steps,
    });
    return ended((await scene.stack.client.startRun(agent, input)).id);
  };

  it('see the members of a recorded value in its order, before the run is suspended and after it', async () => {
    scene.ledger.script('/orders', { body: { zeta: 1, b: 2, aa: { d: 3, c: 4 } } });
    const seen = {
      names: '${{ steps.read.output.map(name, name) }}',
      text: '${{ json.encode(steps.read.output) }}',
      uuid: '${{ run.uuid("order") }}',
    };
    const { output } = await run([
      { id: 'read', tool: 'shop.read' },
      { id: 'before', let: seen },
      { id: 'pause', wait: { for: '1s' } },
      { id: 'after', let: seen },
      {
        id: 'result',
        output: {
          before: '${{ steps.before.output }}',
          after: '${{ steps.after.output }}',
          recorded: '${{ steps.read.output }}',
        },
      },
    ]);
    const { before, after, recorded } = output as Record<'before' | 'after' | 'recorded', JsonObject>;
    expect(after).toEqual(before);
    expect(recorded).toEqual({ zeta: 1, b: 2, aa: { d: 3, c: 4 } });
    expect(before).toMatchObject({ names: Object.keys(recorded), text: JSON.stringify(recorded) });
  });

  it('give a replay UUIDs of its own', async () => {
    const original = await run([{ id: 'result', output: { order: '${{ run.uuid("order") }}' } }]);
    const again = await scene.stack.client.expect<{ id: string }>('POST', `/v1/runs/${original.id}/replay`, {
      mode: 'production',
      tool_results: 'recorded',
    });
    const replay = await ended(again.id);
    const withUuid = { status: 'succeeded', output: { order: expect.stringMatching(/^[0-9a-f-]{36}$/) } };
    expect(original).toMatchObject(withUuid);
    expect(replay).toMatchObject(withUuid);
    expect(replay.output).not.toEqual(original.output);
  });

  it('read a file of half a megabyte, and return null for an optional that is empty', async () => {
    const csv = 'id;name\r\n' + Array.from({ length: 20_000 }, (_, id) => `${id};customer number ${id}\r\n`).join('');
    const output: JsonValue = {
      rows: '${{ size(csv.decode(input.csv, {"delimiter": ";"})) }}',
      lines: '${{ size(input.csv.split("\\n")) }}',
      last: '${{ csv.decode(input.csv, {"delimiter": ";"}).last().name }}',
      none: '${{ input.?missing }}',
    };
    expect(await run([{ id: 'result', output }], { csv })).toMatchObject({
      status: 'succeeded',
      output: { rows: 20_000, lines: 20_002, last: 'customer number 19999', none: null },
    });
  });

  it('are checked when the definition is created', async () => {
    const steps = [{ id: 'result', output: '${{ input.text.substring(input.n) + input.text.toLowerCase() }}' }];
    const answer = await scene.stack.client.call<{ errors: { detail: string; suggestion?: string }[] }>(
      'POST',
      '/v1/agents',
      { name: `functions-${++agents}`, steps },
    );
    expect(answer.status).toBe(422);
    expect(answer.body.errors[0]).toMatchObject({ suggestion: 'Did you mean `lowerAscii`?' });
  });

  it('fail the step with a reason that has no data in it', async () => {
    const steps = [{ id: 'result', output: '${{ json.decode(input.text) }}' }];
    const { status, error } = await run(steps, { text: '4711-4711' });
    expect({ status, error }).toMatchObject({ status: 'failed', error: { code: 'assertion_failed', step: 'result' } });
    expect(JSON.stringify(error)).not.toContain('4711-4711');
  });
});
