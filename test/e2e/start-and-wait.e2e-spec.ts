import type { RunAnswer } from '../support/api-client.js';
import { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';

/** Tests the header `Prefer: wait` with a real worker and a real tool server. */
describe('a start that waits for the end of its run', () => {
  let scene: Scene;
  let agent: string;

  beforeAll(async () => {
    scene = await Scene.start();
    agent = await scene.stack.client.createAgent(aToolAgent('waited', scene.ledger.url, [['read', '/work']]));
  });
  afterEach(() => {
    scene.ledger.reset();
    // Calls that still wait for a response would prevent the worker from shutting down.
    scene.ledger.release('/work');
  });
  afterAll(() => scene.stop());

  const start = (prefer: string, headers: Record<string, string> = {}) =>
    scene.stack.client.call<RunAnswer>('POST', `/v1/agents/${agent}/runs`, { input: {} }, { prefer, ...headers });

  it('answers with the ended run', async () => {
    const { status, headers, body } = await start('wait=9');
    expect([status, body.status, body.output]).toEqual([200, 'succeeded', { done: true }]);
    expect(headers.get('location')).toBe(`/v1/runs/${body.id}`);
    expect(headers.get('preference-applied')).toBe('wait=9');
    expect(body).toEqual(await scene.stack.client.run(body.id));
  });

  it('answers with the run as it is when the time is over, and leaves it alone', async () => {
    scene.ledger.always('/work', { hang: true });
    const { status, body } = await start('respond-async, Wait="1"; now');
    expect([status, body.status, body.ended_at]).toEqual([202, 'running', null]);
    scene.ledger.release('/work');
  });

  it('answers a repeated request with the end of the first run', async () => {
    const once = { 'idempotency-key': 'once' };
    const { body: first } = await start('wait=0', once);
    const { status, headers, body } = await start('wait=9', once);
    expect([status, headers.get('idempotent-replayed'), body.id, body.status]).toEqual([
      200,
      'true',
      first.id,
      'succeeded',
    ]);
  });

  it('does not wait for another preference, nor for a key that may not read runs', async () => {
    for (const prefer of ['wait=0', 'wait=61', 'wait=1.5', 'wait', 'return=minimal', 'waiting=5']) {
      const { status, headers, body } = await start(prefer);
      expect([prefer, status, body.status, headers.get('preference-applied')]).toEqual([prefer, 202, 'queued', null]);
    }
    const key = {
      name: 'starter',
      kind: 'live',
      role: 'operator',
      member: 'admin@example.com',
      scopes: ['agents:run'],
    };
    const made = await scene.stack.client.expect<{ key: string }>('POST', '/v1/api-keys', key);
    const { status, body } = await start('wait=9', { authorization: `Bearer ${made.key}` });
    expect([status, body.status]).toEqual([202, 'queued']);
  });
});
