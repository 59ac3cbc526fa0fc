import type { JsonObject } from '@app/kernel';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { aPerson } from '../support/people.js';
import { Scene } from '../support/scene.js';

interface WaitingRun {
  id: string;
  status: string;
  waiting: { for: string; until?: string } | null;
  callback_url?: string;
}

let agents = 0;
const aWaitingAgent = (callback: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  name: `waiting-${++agents}`,
  steps: [
    { id: 'done', wait: { callback } },
    { id: 'result', output: { got: '${{ steps.done.output }}' } },
  ],
  ...more,
});

describe('a wait for a callback', () => {
  let scene: Scene;
  let ann: ApiClient;
  let viewer: ApiClient;

  beforeAll(async () => {
    scene = await Scene.start();
    ann = await aPerson(scene.stack, 'ann@example.com');
    viewer = await aPerson(scene.stack, 'vic@example.com', { role: 'viewer' });
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  const admin = () => scene.stack.client;

  const start = async (definition: JsonObject, body: JsonObject = {}): Promise<string> => {
    const agent = await admin().createAgent(definition);
    const { id } = await ann.expect<{ id: string }>('POST', `/v1/agents/${agent}/runs`, { input: {}, ...body });
    return id;
  };

  const waiting = (run: string): Promise<WaitingRun & { callback_url: string }> =>
    eventually(async () => {
      const shown = await ann.expect<WaitingRun>('GET', `/v1/runs/${run}`);
      expect(shown).toMatchObject({
        status: 'queued',
        waiting: { for: 'callback', until: expect.any(String) },
        callback_url: expect.stringMatching(/\/v1\/callbacks\/[A-Za-z0-9_-]{60,}$/),
      });
      return { ...shown, callback_url: shown.callback_url! };
    });

  const tokenOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

  const send = async (url: string, body: string, type = 'application/json') => {
    const response = await fetch(`${scene.stack.baseUrl}/v1/callbacks/${tokenOf(url)}`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    return { status: response.status, body: (await response.json()) as JsonObject };
  };

  const ended = (run: string, as: object) => eventually(async () => expect(await admin().run(run)).toMatchObject(as));

  it('ends with the body of the call, which is the output', async () => {
    const run = await start(aWaitingAgent());
    const { callback_url: url } = await waiting(run);
    expect(await send(url, '{"state": "done", "n": 2}')).toEqual({ status: 202, body: { status: 'accepted' } });
    await ended(run, { status: 'succeeded', output: { got: { state: 'done', n: 2 } } });
    expect(await admin().run(run)).not.toHaveProperty('callback_url');
    const { steps } = await admin().trace(run);
    expect(steps[1]).toMatchObject({
      type: 'wait',
      for: 'callback',
      status: 'succeeded',
      output: { state: 'done', n: 2 },
    });
  });

  it('takes a form as an object of texts', async () => {
    const run = await start(aWaitingAgent());
    const { callback_url: url } = await waiting(run);
    expect(await send(url, 'a=1&b=x%20y&a=2', 'application/x-www-form-urlencoded')).toMatchObject({ status: 202 });
    await ended(run, { status: 'succeeded', output: { got: { a: ['1', '2'], b: 'x y' } } });
  });

  it('takes a form with files, each as an object', async () => {
    const run = await start(aWaitingAgent());
    const { callback_url: url } = await waiting(run);
    const form = new FormData();
    form.append('state', 'done');
    form.append('scan', new Blob(['page'], { type: 'text/csv' }), 'scan.csv');
    const response = await fetch(`${scene.stack.baseUrl}/v1/callbacks/${tokenOf(url)}`, { method: 'POST', body: form });
    expect(response.status).toBe(202);
    const base64 = Buffer.from('page').toString('base64');
    const scan = { file: expect.stringMatching(/^file_/), base64, filename: 'scan.csv', content_type: 'text/csv' };
    await ended(run, { status: 'succeeded', output: { got: { state: 'done', scan } } });
    const { data } = await admin().expect<{ data: object[] }>('GET', `/v1/runs/${run}/files?order=asc`);
    const path = 'steps.done.output.scan';
    expect(data).toContainEqual(
      expect.objectContaining({
        path,
        step: 'done',
        file: expect.objectContaining({ source: { type: 'callback', run } }),
      }),
    );
  });

  it('shows its address only to keys that may start runs', async () => {
    const run = await start(aWaitingAgent());
    const { callback_url: url } = await waiting(run);
    expect(await viewer.expect('GET', `/v1/runs/${run}`)).not.toHaveProperty('callback_url');
    const shown = await ann.expect<{ data: WaitingRun[] }>('GET', `/v1/runs?id=${run}`);
    expect(shown.data).toMatchObject([{ callback_url: url }]);
    expect(JSON.stringify(await admin().trace(run))).not.toContain(tokenOf(url));
  });

  it('rejects a body that does not fit, which spends nothing', async () => {
    const schema = { type: 'object', required: ['state'], properties: { state: { enum: ['done', 'failed'] } } };
    const run = await start(aWaitingAgent({ schema }));
    const { callback_url: url } = await waiting(run);
    expect(await send(url, '{"state": "odd"}')).toMatchObject({
      status: 422,
      body: {
        code: 'input_invalid',
        title: 'The input is not valid',
        detail: expect.stringMatching(
          /^`\/state` of the body does not match the schema of the callback `done`: .*again\.$/,
        ),
        errors: [{ pointer: '/state' }],
      },
    });
    expect(await send(url, '{"state": "done"}')).toMatchObject({ status: 202 });
    await ended(run, { status: 'succeeded', output: { got: { state: 'done' } } });
  });

  it.each([
    ['a list', '[1]', 'application/json'],
    ['a text', '"x"', 'application/json'],
    ['no JSON', '{', 'application/json'],
    ['nothing', '', 'application/json'],
    ['another type', 'x', 'text/plain'],
  ])('rejects %s with 400', async (_, body, type) => {
    const { callback_url: url } = await waiting(await start(aWaitingAgent()));
    expect(await send(url, body, type)).toMatchObject({ status: 400 });
    expect(await send(url, '{}')).toMatchObject({ status: 202 });
  });

  it('takes one call of many that arrive at once, and none after that', async () => {
    const { id, callback_url: url } = await waiting(await start(aWaitingAgent()));
    const answers = await Promise.all([1, 2, 3].map((n) => send(url, JSON.stringify({ n }))));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 410, 410]);
    await ended(id, { status: 'succeeded' });
    expect(await send(url, '{}')).toMatchObject({ status: 410, body: { code: 'callback_closed' } });
  });

  it('does not know other tokens', async () => {
    const { callback_url: url } = await waiting(await start(aWaitingAgent()));
    const changed = tokenOf(url).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    for (const token of ['x', changed, tokenOf(url).slice(0, -1), tokenOf(url).slice(1)])
      expect(await send(`/${token}`, '{}')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('fails with timeout if no call arrives', async () => {
    const run = await start(aWaitingAgent({ timeout: '1s' }));
    await ended(run, { status: 'failed', error: { code: 'timeout', step: 'done' } });
    const { steps } = await admin().trace(run);
    expect(steps[1]).toMatchObject({ type: 'wait', status: 'failed', error: { code: 'timeout' } });
  });

  it('is closed when its run has ended', async () => {
    const { id, callback_url: url } = await waiting(await start(aWaitingAgent()));
    await admin().expect('POST', `/v1/runs/${id}/cancel`, {});
    expect(await send(url, '{}')).toMatchObject({ status: 410, body: { code: 'callback_closed' } });
  });

  it('takes what is simulated in mode test, and waits if nothing is', async () => {
    const run = await start(aWaitingAgent({ simulate: { state: 'done' } }), { mode: 'test' });
    await ended(run, { status: 'succeeded', output: { got: { state: 'done' } } });
    const { steps } = await admin().trace(run);
    expect(steps[1]).toMatchObject({ type: 'wait', status: 'simulated', output: { state: 'done' } });
    const other = await start(aWaitingAgent(), { mode: 'test' });
    const { callback_url: url } = await waiting(other);
    await send(url, '{"real": true}');
    await ended(other, { status: 'succeeded', output: { got: { real: true } } });
  });

  describe('whose address a tool sends', () => {
    const sends = (more: JsonObject[] = []): JsonObject =>
      aWaitingAgent(
        {},
        {
          tools: [
            {
              name: 'jobs',
              type: 'http',
              base_url: scene.ledger.url,
              operations: [{ name: 'begin', method: 'POST', path: '/refunds' }],
            },
          ],
          steps: [
            {
              id: 'begin',
              tool: 'jobs.begin',
              with: { amount: 1, reply: '${{ steps.done.callback_url }}', text: 'See ${{ steps.done.callback_url }}.' },
            },
            ...more,
            { id: 'done', wait: { callback: {} } },
            { id: 'result', output: { got: '${{ steps.done.output }}' } },
          ],
        },
      );

    const sentUrl = (): Promise<string> =>
      eventually(async () => {
        const [call] = scene.ledger.callsOf('/refunds');
        const { reply, text } = JSON.parse(call!.body) as { reply: string; text: string };
        expect(text).toBe(`See ${reply}.`);
        return Promise.resolve(reply);
      });

    it('is the address of the run, and the trace does not show it', async () => {
      const run = await start(sends());
      const url = await sentUrl();
      expect(tokenOf((await waiting(run)).callback_url)).toBe(tokenOf(url));
      expect(await send(url, JSON.stringify({ echo: url }))).toMatchObject({ status: 202 });
      await ended(run, { status: 'succeeded' });
      const stored = await scene.stack.query(`select to_jsonb(s) from run_steps s where run_id = $1`, [run]);
      expect(JSON.stringify([await admin().trace(run), await admin().run(run), stored])).not.toContain(tokenOf(url));
      const log = await scene.stack.log();
      expect(log).toContain(run);
      expect(log).not.toContain(tokenOf(url));
    });

    it('keeps a call that arrives before the wait', async () => {
      const run = await start(sends([{ id: 'pause', wait: { for: '3s' } }]));
      const url = await sentUrl();
      expect(await send(url, '{"early": true}')).toMatchObject({ status: 202 });
      expect(await send(url, '{"early": true}')).toMatchObject({ status: 410 });
      await ended(run, { status: 'succeeded', output: { got: { early: true } } });
    });
  });
});
