import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import type { Behaviour } from '../support/ledger.js';
import { aPerson } from '../support/people.js';
import { Scene } from '../support/scene.js';

/** Keys of the refund operation, for each of its two possible effects. The key `reconcile` is added later. */
const WRITES = {
  at_most_once: {},
  idempotent: { effect: 'idempotent', idempotency: { header: 'Idempotency-Key' } },
} satisfies Record<string, JsonObject>;
type Effect = keyof typeof WRITES;
const EFFECTS = ['at_most_once', 'idempotent'] as const;

/**
 * A database trigger that delays the inserts of the first two reconciliation calls by two seconds. After this delay,
 * the worker's permission to begin the call has expired.
 */
const SLOW_QUESTIONS = `create sequence questions;
  create function slow_question() returns trigger language plpgsql as $$ begin
    if nextval('questions') <= 2 then perform pg_sleep(2); end if;
    return new;
  end $$;
  create trigger slow_question before insert on run_steps
    for each row when (new.path like '%#reconcile') execute function slow_question()`;

/**
 * A reconciliation asks the tool whether the write was applied. `answer` is the response of the tool. The expressions
 * `appliedIf` and `output` interpret this response.
 */
interface Reconciliation {
  answer: Behaviour;
  appliedIf?: string;
  output?: string;
  /** Additional keys of the definition, which override the default ones. */
  more?: JsonObject;
}

const keyOf = (query: string) => decodeURIComponent(query.slice('key='.length));
const APPLIED: Reconciliation = { answer: { body: ({ query }) => ({ refunds: [{ key: keyOf(query) }] }) } };
const OUTPUT_OF_ONE: Reconciliation = { ...APPLIED, output: '${{ response.body.refunds[0] }}' };
const OUTPUT_FAILS: Reconciliation = { ...APPLIED, output: '${{ response.body.refunds[1] }}' };
const NOT_APPLIED: Reconciliation = { answer: { body: { refunds: [] } } };
const IS_THERE = 'response.status == 200';
const NOTHING_THERE: Reconciliation = { answer: { status: 404 }, appliedIf: IS_THERE };
const CANNOT_TELL: Reconciliation = { answer: { status: 500 }, appliedIf: IS_THERE };
const NOT_ALLOWED: Reconciliation = {
  ...APPLIED,
  more: { policies: [{ name: 'no-looking', when: 'tool.name == "shop.look"', action: 'deny', message: 'Not now.' }] },
};

describe('a write whose answer was lost and that has a reconciliation', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterAll(() => scene.stop());

  let agents = 0;
  /** Starts a run whose refund call hangs. Returns the ledger paths of the refund and of its reconciliation. */
  const aHangingRefund = async (effect: Effect, { answer, more, ...reconcile }: Reconciliation) => {
    const name = `refunds-${++agents}`;
    scene.ledger.script(`/refund/${name}`, { hang: true });
    scene.ledger.always(`/refunds/${name}`, answer);
    const agent = await scene.stack.client.createAgent({
      ...aRefundAgent(name, effect, reconcile),
      ...more,
    });
    const { id } = await scene.stack.client.startRun(agent);
    await scene.ledger.called(`/refund/${name}`);
    return { id, path: `/refund/${name}`, question: `/refunds/${name}` };
  };
  type Refund = Awaited<ReturnType<typeof aHangingRefund>>;

  const aRefundAgent = (
    name: string,
    effect: Effect,
    { appliedIf = 'response.body.refunds.exists(r, r.key == call.key)', output }: Omit<Reconciliation, 'answer'>,
  ): JsonObject => ({
    name,
    tools: [
      {
        name: 'shop',
        type: 'http',
        base_url: scene.ledger.url,
        operations: [
          { name: 'look', method: 'GET', path: `/refunds/${name}` },
          {
            name: 'refund',
            method: 'POST',
            path: `/refund/${name}`,
            ...WRITES[effect],
            reconcile: {
              operation: 'look',
              with: { key: '${{ call.key }}' },
              applied_if: appliedIf,
              ...(output !== undefined && { output }),
            },
          },
        ],
      },
    ],
    steps: [
      { id: 'refund', tool: 'shop.refund', with: { amount: 40 } },
      { id: 'result', output: { refund: '${{ steps.refund.output }}' } },
    ],
  });

  const killWorkers = () =>
    Promise.all(scene.stack.workers.filter(({ hasEnded }) => !hasEnded).map((worker) => worker.kill()));
  const becomes = ({ id }: Refund, status: string) =>
    eventually(async () => expect(await scene.stack.client.run(id)).toMatchObject({ status }));
  const callsOf = async ({ id }: Refund) => {
    const { steps } = await scene.stack.client.trace(id);
    return steps.filter(({ type }) => type === 'tool_call').map(({ path, status }) => `${path ?? ''} ${status}`);
  };

  describe('because its worker was killed', () => {
    const REPEATED = ['refund cancelled', 'refund#reconcile succeeded', 'refund succeeded'];
    const LOST = [
      {
        title: '(at_most_once) is not sent again when its tool says that it has happened',
        refund: () => aHangingRefund('at_most_once', APPLIED),
        becomes: { status: 'succeeded', refunds: 1, calls: ['refund succeeded', 'refund#reconcile succeeded'] },
      },
      {
        title: '(idempotent) is not sent again when its tool says that it has happened',
        refund: () => aHangingRefund('idempotent', APPLIED),
        becomes: { status: 'succeeded', refunds: 1, calls: REPEATED },
      },
      {
        title: '(at_most_once) is not sent again when its reconciliation computes the output, too',
        refund: () => aHangingRefund('at_most_once', OUTPUT_OF_ONE),
        becomes: { status: 'succeeded', refunds: 1, calls: ['refund succeeded', 'refund#reconcile succeeded'] },
      },
      {
        title: '(at_most_once) waits for a person when the output of its reconciliation fails',
        refund: () => aHangingRefund('at_most_once', OUTPUT_FAILS),
        becomes: { status: 'waiting_approval', refunds: 1, calls: ['refund in_doubt', 'refund#reconcile succeeded'] },
      },
      {
        title: '(at_most_once) is sent once more when its tool says that it has not happened',
        refund: () => aHangingRefund('at_most_once', NOT_APPLIED),
        becomes: { status: 'succeeded', refunds: 2, calls: REPEATED },
      },
      {
        title: '(idempotent) is sent once more when its tool says that it has not happened',
        refund: () => aHangingRefund('idempotent', NOT_APPLIED),
        becomes: { status: 'succeeded', refunds: 2, calls: REPEATED },
      },
      {
        title: '(at_most_once) is sent once more where its expression takes a 404 for a no',
        refund: () => aHangingRefund('at_most_once', NOTHING_THERE),
        becomes: {
          status: 'succeeded',
          refunds: 2,
          calls: ['refund cancelled', 'refund#reconcile failed', 'refund succeeded'],
        },
      },
      {
        title: '(at_most_once) waits for a person when its tool cannot tell',
        refund: () => aHangingRefund('at_most_once', CANNOT_TELL),
        becomes: { status: 'waiting_approval', refunds: 1, calls: ['refund in_doubt', 'refund#reconcile failed'] },
      },
      {
        title: '(idempotent) is sent again under its key when its tool cannot tell',
        refund: () => aHangingRefund('idempotent', CANNOT_TELL),
        becomes: {
          status: 'succeeded',
          refunds: 2,
          calls: ['refund cancelled', 'refund#reconcile failed', 'refund succeeded'],
        },
      },
      {
        title: '(at_most_once) waits for a person where a policy does not let the question pass',
        refund: () => aHangingRefund('at_most_once', NOT_ALLOWED),
        becomes: { status: 'waiting_approval', refunds: 1, calls: ['refund in_doubt', 'refund#reconcile denied'] },
      },
    ];
    const refunds = new Map<string, Refund>();

    beforeAll(async () => {
      for (const { title, refund } of LOST) refunds.set(title, await refund());
      await killWorkers();
      await scene.haveWorkers();
    });

    it.each(LOST)('$title', async ({ title, becomes: { status, ...expected } }) => {
      const refund = refunds.get(title);
      if (!refund) throw new Error(`There is no run for the test ${title}.`);
      await becomes(refund, status);
      expect({ refunds: scene.ledger.callsOf(refund.path).length, calls: await callsOf(refund) }).toEqual(expected);
      const keys = scene.ledger.callsOf(refund.path).map(({ step, run }) => `${run}/${step}`);
      expect(new Set(keys)).toEqual(new Set([`${refund.id}/refund`]));
    });

    it.each([
      { of: 'the response of the read', index: 0, output: (key: string) => ({ refunds: [{ key }] }) },
      { of: 'the template `output`', index: 2, output: (key: string) => ({ key }) },
    ])('has $of as its output, and the reason in its trace', async ({ index, output: expected }) => {
      const refund = refunds.get(LOST[index]?.title ?? '');
      if (!refund) throw new Error('There is no run for this test.');
      await becomes(refund, 'succeeded');
      const { output } = await scene.stack.client.run(refund.id);
      expect(output).toEqual({ refund: expected(`${refund.id}/refund`) });
      const { steps } = await scene.stack.client.trace(refund.id);
      const summary = 'shop.look shows that the call was carried out.';
      expect(steps.find(({ path }) => path === 'refund')).toMatchObject({ response_summary: summary });
    });
  });

  describe('for another reason', () => {
    beforeEach(async () => {
      scene.ledger.reset();
      await scene.haveWorkers();
    });

    it('is asked about again when the worker that asked is killed, too', async () => {
      const refund = await aHangingRefund('at_most_once', APPLIED);
      scene.ledger.script(refund.question, { hang: true });
      await killWorkers();
      await scene.haveWorkers();
      await scene.ledger.called(refund.question);
      await killWorkers();
      await scene.haveWorkers();
      await becomes(refund, 'succeeded');
      expect(scene.ledger.callsOf(refund.path)).toHaveLength(1);
      const asked = ['refund#reconcile cancelled', 'refund#reconcile succeeded'];
      expect(await callsOf(refund)).toEqual(['refund succeeded', ...asked]);
    });

    it('continues with the outcome that a person reports, and is sent again unchanged only on request', async () => {
      const ann = await aPerson(scene.stack, 'ann@example.com', { role: 'admin' });
      const words = ['mark_succeeded', 'mark_failed', 'retry'] as const;
      const refunds = await Promise.all(words.map(() => aHangingRefund('at_most_once', CANNOT_TELL)));
      await killWorkers();
      await scene.haveWorkers();
      const approvalOf = async ({ id }: Refund) => {
        const path = `/v1/runs/${id}/approvals`;
        const { data } = await ann.expect<{ data: { id: string }[] }>('GET', path);
        expect(data).toMatchObject([
          { status: 'open', kind: 'in_doubt', tool: 'shop.refund', request: { amount: 40 }, allowed_decisions: words },
        ]);
        return `${path}/${data[0]?.id ?? ''}`;
      };
      for (const [n, decision] of words.entries()) {
        const refund = refunds[n]!;
        await becomes(refund, 'waiting_approval');
        const path = await approvalOf(refund);
        expect(await ann.call('POST', path, { decision: 'approve' })).toMatchObject({ status: 400 });
        expect(await ann.call('POST', path, { decision })).toMatchObject({ status: 200 });
        expect(await ann.call('POST', path, { decision })).toMatchObject({ status: 200 });
        const another = decision === 'retry' ? 'mark_failed' : 'retry';
        expect(await ann.call('POST', path, { decision: another })).toMatchObject({ status: 409 });
      }
      const [marked, failed, again] = refunds;
      await becomes(marked!, 'succeeded');
      await becomes(failed!, 'failed');
      expect(await scene.stack.client.run(failed!.id)).toMatchObject({ error: { code: 'tool_error', step: 'refund' } });
      await becomes(again!, 'succeeded');
      expect(refunds.map(({ path }) => scene.ledger.callsOf(path).length)).toEqual([1, 1, 2]);
      expect(new Set(scene.ledger.callsOf(again!.path).map(({ body, step }) => `${step} ${body}`)).size).toBe(1);
    });

    it('is asked about all the same when the question took too long to be recorded to leave the service', async () => {
      const refunds = await Promise.all(EFFECTS.map((effect) => aHangingRefund(effect, APPLIED)));
      await killWorkers();
      await scene.stack.query(SLOW_QUESTIONS);
      await scene.haveWorkers();
      for (const refund of refunds) await becomes(refund, 'succeeded');
      await scene.stack.query('drop function slow_question cascade; drop sequence questions');
      expect(refunds.map(({ path }) => scene.ledger.callsOf(path).length)).toEqual([1, 1]);
      for (const refund of refunds)
        expect((await callsOf(refund)).filter((call) => call.includes('#'))).toHaveLength(1);
    });

    it('is one of the calls that a run may make', async () => {
      const steps: JsonObject[] = [
        { id: 'refund', tool: 'shop.refund', with: { amount: 40 } },
        { id: 'another', tool: 'shop.look', with: { key: 'another' } },
      ];
      const more = { limits: { max_steps: 1 }, steps };
      const refunds = await Promise.all(EFFECTS.map((effect) => aHangingRefund(effect, { ...APPLIED, more })));
      await killWorkers();
      await scene.haveWorkers();
      for (const refund of refunds) {
        await becomes(refund, 'failed');
        expect(await scene.stack.client.run(refund.id)).toMatchObject({ error: { code: 'step_limit' } });
        expect(scene.ledger.callsOf(refund.question)).toHaveLength(1);
      }
    });

    it('is asked about after the resume when an emergency stop broke it off', async () => {
      const refund = await aHangingRefund('idempotent', APPLIED);
      await scene.stack.client.expect('POST', '/v1/workspace/emergency-stop', { drain_timeout_ms: 100 });
      expect(scene.ledger.callsOf(refund.question)).toHaveLength(0);
      await scene.stack.client.expect('POST', '/v1/workspace/resume', {});
      await becomes(refund, 'succeeded');
      expect(scene.ledger.callsOf(refund.path)).toHaveLength(1);
      expect(scene.ledger.callsOf(refund.question)).toHaveLength(1);
    });
  });
});
