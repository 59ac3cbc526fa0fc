import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';
import { subscribe, verifyMessage } from '../support/webhooks.js';
import type { Service } from '../support/stack.js';
import { testedQueues } from '../support/tested-queues.js';

/** A short version of the definition in the tour of the README. It makes one call, and branches on the response. */
const anInvoiceAgent = (url: string): JsonObject => ({
  name: 'invoice-router',
  input: { type: 'object', required: ['invoice'], properties: { invoice: { type: 'string' } } },
  output: { type: 'object', required: ['net'], properties: { net: { type: 'number' } } },
  tools: [
    { name: 'erp', type: 'http', base_url: url, operations: [{ name: 'get', method: 'GET', path: '/invoices/{id}' }] },
  ],
  steps: [
    { id: 'invoice', tool: 'erp.get', with: { id: '${{ input.invoice }}' } },
    { id: 'sums', let: { net: '${{ steps.invoice.output.total - steps.invoice.output.tax }}' } },
    { id: 'plausible', assert: 'steps.sums.output.net > 0.0' },
    {
      id: 'route',
      switch: [{ when: 'steps.sums.output.net > 10000.0', steps: [{ id: 'large', fail: { message: 'too large' } }] }],
    },
    { id: 'result', output: { net: '${{ steps.sums.output.net }}' } },
  ],
});

for (const queue of await testedQueues()) {
  if (queue.missing !== undefined) console.warn(queue.missing);
  (queue.missing === undefined ? describe : describe.skip)(`a run, ${queue.title}`, () => {
    let scene: Scene<Service>;

    beforeAll(async () => {
      const { redisUrl } = queue;
      scene = await (redisUrl === undefined ? Scene.start() : Scene.alone({ why: 'needs Redis', redisUrl }));
    });
    afterAll(() => scene.stop());

    it('follows a run from POST to webhook', async () => {
      scene.ledger.always('/invoices/INV-7', { body: { total: 119, tax: 19 } });
      const agent = await scene.stack.client.createAgent(anInvoiceAgent(scene.ledger.url));

      const { secret } = await subscribe(scene.stack.client, `${scene.ledger.url}/events`);
      const accepted = await scene.stack.client.call<{ id: string }>('POST', `/v1/agents/${agent}/runs`, {
        input: { invoice: 'INV-7' },
      });
      expect(accepted).toMatchObject({ status: 202, body: { agent, status: 'queued', version: 1, ended_at: null } });
      const { id } = accepted.body;
      expect(accepted.headers.get('location')).toBe(`/v1/runs/${id}`);

      const ended = await eventually(async () => {
        const run = await scene.stack.client.run(id);
        expect(run.ended_at).not.toBeNull();
        return run;
      });
      expect(ended).toMatchObject({ status: 'succeeded', output: { net: 100 }, error: null });

      expect(scene.ledger.callsOf('/invoices/INV-7')).toMatchObject([
        { method: 'GET', path: '/invoices/INV-7', run: id, step: 'invoice', epoch: '1', state: 'answered' },
      ]);

      const { steps } = await scene.stack.client.trace(id);
      expect(steps.map(({ n, type, status }) => `${n} ${type} ${status}`)).toEqual([
        '1 trigger succeeded',
        '2 tool_call succeeded',
        '3 assertion succeeded',
        '4 output succeeded',
      ]);
      expect(steps[1]).toMatchObject({ tool: 'erp.get', scope: 'read', request: { id: 'INV-7' }, http_status: 200 });

      const listed = await scene.stack.client.expect<{ data: { id: string }[] }>('GET', `/v1/runs?agent=${agent}`);
      expect(listed.data.map((run) => run.id)).toEqual([id]);

      const [received] = await scene.ledger.called('/events');
      const { data, ...message } = verifyMessage(received!, secret);
      expect(message).toMatchObject({ type: 'run.completed', workspace: scene.stack.workspaceId });
      expect(data).toEqual(ended);
    });
  });
}
