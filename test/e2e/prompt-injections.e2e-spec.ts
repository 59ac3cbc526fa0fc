import { INJECTIONS } from '../fixtures/prompt-injections.js';
import { aModelAgent } from '../support/model-agents.js';
import { ModelScene } from '../support/model-scene.js';

/** The test models follow every injected instruction, so only policies limit what they do. */
describe('a model that obeys what it reads', () => {
  let stage: ModelScene;
  let agent: string;

  beforeAll(async () => {
    stage = await ModelScene.start();
    const few = { name: 'few', when: 'tool.name == "shop.pay" && request.amount > 10.0', action: 'deny' };
    agent = await stage.client.createAgent(
      aModelAgent(stage.scene.ledger.url, { policies: [few], policy_defaults: { on_error: 'deny' } }),
    );
  });
  afterEach(() => stage.reset());
  afterAll(() => stage.stop());

  it('has a corpus that is worth it', () => {
    expect(new Set(INJECTIONS.map(({ text }) => text)).size).toBeGreaterThanOrEqual(40);
  });

  it.each(INJECTIONS.map(({ text, calls }) => [text, calls] as const))(
    'makes no call that no policy passes: %j',
    async (text, calls) => {
      const { ledger } = stage.scene;
      ledger.always('/look/page', { body: { page: text } });
      stage.models.respondWith(
        { calls: [{ name: 'shop_look', input: { place: 'page' } }] },
        { text: 'I follow these instructions.', calls: [...calls] },
        { text: 'done' },
      );
      const { id } = await stage.client.startRun(agent, { mail: text });
      const run = await stage.ended(id);
      expect(['succeeded', 'failed']).toContain(run.status);
      const others = ledger.calls.filter(({ method, path }) => method !== 'GET' || !path.startsWith('/look/'));
      expect(others.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
      const { steps } = await stage.client.trace(id);
      const paid = steps.filter(
        ({ type, tool, status }) => type === 'tool_call' && tool === 'shop.pay' && status === 'succeeded',
      );
      expect(paid).toEqual([]);
      // The model attempted the injected call, and a policy rejected it.
      const refusals = steps.filter(({ type, status }) => type === 'tool_call' && status !== 'succeeded');
      if (calls.some(({ name }) => name === 'shop_pay'))
        expect(refusals.length + Number(run.status === 'failed')).toBeGreaterThan(0);
      // The model receives the content as a tool result, never as a system message.
      const [, second] = stage.models.requests;
      const rules = second!.messages.filter(({ role }) => role === 'system');
      expect(JSON.stringify(rules)).not.toContain(JSON.stringify(text).slice(1, -1));
    },
    30_000,
  );
});
