import type { JsonObject } from '@app/kernel';
import type { ApiClient, RunAnswer } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { aGroup, aPerson } from '../support/people.js';
import { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';

interface ShownRun extends RunAnswer {
  approvals: { id: string; status: string; policy: string; show: JsonObject }[];
}

let agents = 0;

/** Tests what policies can read, their default messages, and the outcomes of runs, with a real worker. */
describe('the rules of a definition', () => {
  let scene: Scene;
  let eve: ApiClient;

  beforeAll(async () => {
    scene = await Scene.start();
    eve = await aPerson(scene.stack, 'eve@example.com');
    await aGroup(scene.stack, 'deciders', ['eve@example.com']);
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  const create = (steps: JsonObject[], more: JsonObject = {}): Promise<string> => {
    const plan = aToolAgent(`rules-${++agents}`, scene.ledger.url, []);
    return scene.stack.client.createAgent({ ...plan, steps, ...more });
  };
  const start = async (steps: JsonObject[], more: JsonObject = {}, input: JsonObject = {}): Promise<string> =>
    (await scene.stack.client.startRun(await create(steps, more), input)).id;
  const shown = (id: string) => scene.stack.client.expect<ShownRun>('GET', `/v1/runs/${id}`);
  const reaches = (id: string, as: object) =>
    eventually(async () => {
      const run = await shown(id);
      expect(run).toMatchObject(as);
      return run;
    });
  const callsOf = async (id: string) => {
    const { steps } = await scene.stack.client.trace(id);
    return steps.filter(({ type }) => type === 'tool_call').map(({ path, status }) => `${path} ${status}`);
  };
  const call = (operation: 'read' | 'write', id: string, request: JsonObject = {}, more: JsonObject = {}) => ({
    id,
    tool: `tool.${operation}`,
    with: { place: id, ...request },
    ...more,
  });

  describe('see', () => {
    const vendor = call('read', 'vendor');
    const blocked: JsonObject = {
      name: 'blocked',
      when: 'tool.scope == "write" && steps.vendor.output.blocked',
      action: 'deny',
    };

    it('what the steps before a call have put out', async () => {
      scene.ledger.script('/vendor', { body: { blocked: true } }, { body: { blocked: false } });
      const steps = [vendor, call('write', 'pay')];
      const denied = await start(steps, { policies: [blocked] });
      const error = { code: 'tool_denied', step: 'pay' };
      await reaches(denied, { status: 'failed', error, approvals: [] });
      expect(await callsOf(denied)).toEqual(['vendor succeeded', 'pay denied']);
      await reaches(await start(steps, { policies: [blocked] }), { status: 'succeeded' });
      expect(scene.ledger.callsOf('/pay')).toHaveLength(1);
    });

    it('it in each round of a loop, and so do approvers, also when one of them edits', async () => {
      scene.ledger.always('/vendor', { body: { limit: 100, name: 'Acme' } });
      const steps: JsonObject[] = [
        vendor,
        { id: 'terms', let: { limit: '${{ steps.vendor.output.limit }}' } },
        { id: 'all', for_each: [50, 900], steps: [call('write', 'pay', { amount: '${{ item }}' })] },
      ];
      const ask = { action: 'require_approval', approval: 'people' };
      const run = await start(steps, {
        policies: [
          { name: 'far', when: 'has(request.amount) && request.amount > steps.terms.output.limit * 5.0', ...ask },
          {
            name: 'never',
            when: 'has(request.amount) && request.amount > steps.terms.output.limit * 10.0',
            action: 'deny',
          },
        ],
        approvals: { people: { approvers: ['deciders'], show: ['request.amount', 'steps.vendor.output.name'] } },
      });
      const { approvals } = await reaches(run, { status: 'waiting_approval' });
      expect(approvals).toMatchObject([
        { policy: 'far', show: { 'request.amount': 900, 'steps.vendor.output.name': 'Acme' } },
      ]);
      const decide = (amount: number) =>
        eve.call<JsonObject>('POST', `/v1/runs/${run}/approvals/${approvals[0]!.id}`, {
          decision: 'edit',
          request: { place: 'pay', amount },
        });
      expect(await decide(1_001)).toMatchObject({ status: 422, body: { code: 'input_invalid' } });
      expect(await decide(700)).toMatchObject({
        status: 200,
        body: { show: { 'request.amount': 700, 'steps.vendor.output.name': 'Acme' } },
      });
      await reaches(run, { status: 'succeeded' });
      expect(scene.ledger.callsOf('/pay').map(({ body }) => JSON.parse(body) as object)).toEqual([
        { amount: 50 },
        { amount: 700 },
      ]);
    });
  });

  describe('say by default', () => {
    it('the outcome of calls that no policy matches, and of those that cannot be evaluated', async () => {
      const steps = [call('read', 'look', {}, { continue_on_error: true }), call('write', 'pay')];
      const approvals = { people: { approvers: ['deciders'] } };
      const defaults = { read: 'deny', write: 'require_approval', approval: 'people' };
      const run = await start(steps, { approvals, policy_defaults: defaults });
      const { approvals: asked } = await reaches(run, { status: 'waiting_approval' });
      expect(asked).toMatchObject([{ policy: 'policy_defaults.write', approvers: ['deciders'] }]);
      await eve.expect('POST', `/v1/runs/${run}/approvals/${asked[0]!.id}`, { decision: 'approve' });
      await reaches(run, { status: 'succeeded' });
      expect(await callsOf(run)).toEqual(['look denied', 'pay succeeded']);

      const odd = { name: 'odd', when: 'request.amount > 100.0', action: 'allow' };
      const strict = await start([call('write', 'pay')], { policies: [odd], policy_defaults: { on_error: 'deny' } });
      await reaches(strict, { status: 'failed', error: { code: 'policy_error', step: 'pay' }, approvals: [] });
      expect(scene.ledger.callsOf('/pay')).toHaveLength(1);
    });
  });

  describe('end a run', () => {
    it('that was active for longer than max_duration: what it waits for does not count, what it did before does', async () => {
      scene.ledger.always('/slow', { delayMillis: 700 });
      scene.ledger.always('/hang', { hang: true });
      const limits = { max_duration: '1s' };
      const wait = { id: 'pause', wait: { for: '1500ms' } };
      const [waited, hung, twice] = await Promise.all([
        start([wait, call('read', 'look')], { limits }),
        start([call('read', 'hang', {}, { timeout: '10s', continue_on_error: true })], { limits }),
        start([call('read', 'slow'), wait, { ...call('read', 'slow'), id: 'again' }], { limits }),
      ]);
      await reaches(waited, { status: 'succeeded' });
      const timeout = { status: 'failed', error: { code: 'timeout', step: null } };
      await reaches(hung, timeout);
      await reaches(twice, timeout);
      expect(await callsOf(twice)).toEqual(['slow succeeded', 'again failed']);
      expect(scene.ledger.callsOf('/hang')[0]).toMatchObject({ state: 'aborted' });
    });

    it('that no worker began within queue_ttl, and refuses or queues runs above the limit', async () => {
      scene.ledger.always('/hang', { hang: true });
      const steps = [call('read', 'hang')];
      const limits = { queue_ttl: '500ms' };
      const queueing = await create(steps, { limits, concurrency: { max: 1 } });
      const first = await scene.stack.client.startRun(queueing);
      await scene.ledger.called('/hang');
      const second = await scene.stack.client.startRun(queueing);
      await reaches(second.id, { status: 'failed', error: { code: 'queue_expired', step: null } });
      scene.ledger.release('/hang');
      await reaches(first.id, { status: 'succeeded' });

      const key = '${{ agent.name }}/${{ input.from }}';
      const rejecting = await create(steps, { concurrency: { max: 3, key, max_per_key: 1, on_conflict: 'reject' } });
      const startFrom = (from: string) =>
        scene.stack.client.call<{ id: string; code: string }>('POST', `/v1/agents/${rejecting}/runs`, {
          input: { from },
        });
      const [a, b] = [await startFrom('a'), await startFrom('b')];
      expect([a.status, b.status]).toEqual([202, 202]);
      const refused = await startFrom('a');
      expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await startFrom('c')).status).toBe(202);
      expect((await startFrom('d')).status).toBe(429);
      await scene.ledger.called('/hang', 4);
      scene.ledger.release('/hang');
      await reaches(a.body.id, { status: 'succeeded' });
      scene.ledger.always('/hang', {});
      expect((await startFrom('a')).status).toBe(202);
    });

    it('at max_steps where it would begin one more call, and never before', async () => {
      const limits = { max_steps: 2 };
      const branch = (id: string) => ({ steps: [call('read', id)] });
      const both = { id: 'both', parallel: [branch('a'), branch('b')] };
      for (const [place, delayMillis] of [
        ['/a', 20],
        ['/b', 300],
      ] as const)
        scene.ledger.always(place, { delayMillis });
      await reaches(await start([both, { id: 'pause', wait: { for: '10ms' } }], { limits }), { status: 'succeeded' });

      const stepLimit = { status: 'failed', error: { code: 'step_limit' } };
      const each = (kind: 'read' | 'write'): JsonObject => ({
        id: 'all',
        for_each: [1, 2, 3, 4],
        max_parallel: 4,
        steps: [call(kind, 'one')],
      });
      await reaches(await start([each('read')], { limits }), stepLimit);
      expect(scene.ledger.callsOf('/one')).toHaveLength(2);
      const simulated = await create([each('write')], { limits });
      const test = { input: {}, mode: 'test' };
      const { id } = await scene.stack.client.expect<{ id: string }>('POST', `/v1/agents/${simulated}/runs`, test);
      await reaches(id, stepLimit);
      expect(await callsOf(id)).toHaveLength(2);
    });

    it('at max_steps only for calls that were made: one that waited for a person counts once', async () => {
      const policies = [{ name: 'ask', when: 'true', action: 'require_approval', approval: 'people' }];
      const approvals = { people: { approvers: ['deciders'] } };
      const run = await start([call('write', 'pay')], { policies, approvals, limits: { max_steps: 1 } });
      const { approvals: asked } = await reaches(run, { status: 'waiting_approval' });
      await eve.expect('POST', `/v1/runs/${run}/approvals/${asked[0]!.id}`, { decision: 'approve' });
      await reaches(run, { status: 'succeeded' });
      expect(scene.ledger.callsOf('/pay')).toHaveLength(1);
    });
  });
});
