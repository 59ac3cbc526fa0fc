import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import type { Behaviour, LedgerCall } from '../support/ledger.js';
import { Scene } from '../support/scene.js';

interface JudgedLoop {
  ended_at: string | null;
  results: { trials: { run: string; status: string }[] }[];
}

let agents = 0;

const cursorOf = ({ query }: LedgerCall): string | null => new URLSearchParams(query).get('cursor');

/** A loop that reads pages until the last one, and collects their numbers. */
const PAGES: JsonObject = {
  carry: { cursor: '0', items: [] },
  steps: [{ id: 'page', tool: 'shop.page', with: { cursor: '${{ carry.cursor }}' } }],
  next: { cursor: '${{ steps.page.output.next }}', items: '${{ carry.items + [steps.page.output.page] }}' },
  until: 'carry.cursor == ""',
  max: 1_000,
};

describe('a loop that carries values', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start();
  });
  beforeEach(async () => {
    scene.ledger.reset();
    await scene.haveWorkers();
  });
  afterAll(() => scene.stop());

  const anAgent = (loop: JsonObject, more: JsonObject = {}): JsonObject => ({
    name: `loop-${++agents}`,
    tools: [
      {
        name: 'shop',
        type: 'http',
        base_url: scene.ledger.url,
        operations: [{ name: 'page', method: 'GET', path: '/page' }],
      },
    ],
    steps: [
      { id: 'pages', repeat: { ...PAGES, ...loop } },
      { id: 'result', output: '${{ steps.pages.output }}' },
    ],
    ...more,
  });

  const pageOf = (count: number): Behaviour => ({
    body: (call) => {
      const page = Number(cursorOf(call));
      return { page, next: page + 1 < count ? String(page + 1) : '' };
    },
  });
  const serve = (count: number): void => scene.ledger.always('/page', pageOf(count));

  const ended = (id: string) =>
    eventually(async () => {
      const run = await scene.stack.client.run(id);
      expect(run.ended_at).not.toBeNull();
      return run;
    });

  const start = async (definition: JsonObject): Promise<string> => {
    const agent = await scene.stack.client.createAgent(definition);
    return (await scene.stack.client.startRun(agent)).id;
  };

  it('reads one page after the other and returns what it carried', async () => {
    serve(3);
    const id = await start(anAgent({}));
    expect(await ended(id)).toMatchObject({
      status: 'succeeded',
      output: { carry: { cursor: '', items: [0, 1, 2] }, rounds: 3 },
    });
    const { steps } = await scene.stack.client.trace(id);
    expect(steps.slice(1).map(({ path }) => path)).toEqual([
      'pages[0].page',
      'pages[1].page',
      'pages[2].page',
      'result',
    ]);
  });

  it('waits between its rounds without a worker, within max_wait', async () => {
    serve(3);
    const id = await start(anAgent({ delay: '1s' }));
    await eventually(async () => {
      const run = await scene.stack.client.run(id);
      expect(run).toMatchObject({ status: 'queued', waiting: { for: 'time' } });
    });
    expect(await ended(id)).toMatchObject({ status: 'succeeded', output: { rounds: 3 } });
    const { steps } = await scene.stack.client.trace(id);
    expect(steps.filter(({ type }) => type === 'wait')).toMatchObject([
      { path: 'pages[0]', status: 'succeeded', until: expect.any(String) },
      { path: 'pages[1]', status: 'succeeded' },
    ]);
    const late = await ended(await start(anAgent({ delay: '1h' }, { limits: { max_wait: '1s' } })));
    expect(late).toMatchObject({ status: 'failed', error: { code: 'timeout' } });
  });

  it('does not wait in an evaluation', async () => {
    const evaluation = {
      cases: [
        {
          name: 'two pages',
          input: {},
          mock: { 'shop.page': { page: 7, next: '1' } },
          assert: [{ type: 'cel', value: 'output.rounds == 3.0' }],
        },
      ],
    };
    const definition = anAgent({ delay: '20d', max: 3, on_max: 'continue' }, { evaluation });
    const agent = await scene.stack.client.createAgent(definition);
    const { id } = await scene.stack.client.expect<{ id: string }>('POST', `/v1/agents/${agent}/versions/1/evaluate`);
    const judged = await eventually(async () => {
      const { body } = await scene.stack.client.call<JudgedLoop>('GET', `/v1/evaluations/${id}`);
      expect(body.ended_at).not.toBeNull();
      return body;
    });
    const [trial] = judged.results[0]!.trials;
    expect(trial).toMatchObject({ status: 'passed' });
    const { steps } = await scene.stack.client.trace(trial!.run);
    expect(steps.filter(({ type }) => type === 'wait')).toMatchObject([
      { path: 'pages[0]', status: 'simulated' },
      { path: 'pages[1]', status: 'simulated' },
    ]);
  });

  it('continues in the round that it had reached when its worker was killed', async () => {
    serve(8);
    const [doomed] = await scene.haveWorkers();
    scene.ledger.script('/page', pageOf(8), pageOf(8), pageOf(8), { hang: true });
    const id = await start(anAgent({}));
    await scene.ledger.called('/page', 4);
    await doomed?.kill();
    await scene.haveWorkers();
    expect(await ended(id)).toMatchObject({ status: 'succeeded', output: { rounds: 8 } });
    expect(scene.ledger.callsOf('/page').map(cursorOf)).toEqual(['0', '1', '2', '3', '3', '4', '5', '6', '7']);
  });
});
