import { compileDefinition } from '@app/definition';
import { invariant, type JsonObject, type JsonValue } from '@app/kernel';
import type { Call } from './plan.js';
import { judge } from './policy.js';

const FACTS = { input: { from: 'a@x.com' }, trigger: { type: 'api' }, run: {}, agent: {} };

function judgement(request: JsonObject, policies: JsonValue[], more: JsonObject = {}, steps: JsonObject = {}) {
  const definition = compileDefinition({
    name: 'test',
    tools: [
      {
        name: 'orders',
        type: 'http',
        base_url: 'https://orders.example',
        operations: [{ name: 'refund', method: 'POST', path: '/refunds' }],
      },
    ],
    approvals: { finance: { approvers: ['finance-leads'] } },
    policies,
    steps: [{ id: 'pay', tool: 'orders.refund', with: {} }],
    ...more,
  });
  const operation = definition.operations.get('orders.refund');
  invariant(operation, 'the operation is defined');
  const call: Call = {
    kind: 'call',
    path: 'pay',
    stepId: 'pay',
    operation,
    request,
    steps,
    timeoutMs: 1,
    try: 1,
    delayMs: 0,
  };
  return judge(definition, call, FACTS);
}

const BIG_WHEN = 'tool.name == "orders.refund" && request.amount > 100.0';
const BIG: JsonObject = {
  name: 'big',
  when: BIG_WHEN,
  action: 'require_approval',
  approval: 'finance',
};
const STRANGER: JsonObject = {
  name: 'stranger',
  when: 'request.to != input.from',
  action: 'deny',
  message: 'Only to the sender.',
};

describe('the policies', () => {
  it('allow a call that none of them matches', () => {
    expect(judgement({ amount: 50 }, [BIG])).toEqual({ action: 'allow' });
  });

  it('ask the people of the rule, with the expression as the reason', () => {
    const reason = BIG.when;
    expect(judgement({ amount: 900 }, [BIG])).toMatchObject({
      action: 'require_approval',
      policy: 'big',
      reason,
      rule: { approvers: ['finance-leads'] },
    });
  });

  it('deny rather than ask, and ask rather than allow, in any order', () => {
    const allow: JsonObject = { name: 'fine', when: 'true', action: 'allow' };
    const call = { amount: 900, to: 'b@x.com' };
    expect(judgement(call, [allow, BIG, STRANGER])).toMatchObject({
      action: 'deny',
      code: 'tool_denied',
      policy: 'stranger',
      message: 'Only to the sender.',
    });
    expect(judgement({ ...call, to: 'a@x.com' }, [allow, BIG, STRANGER])).toMatchObject({ action: 'require_approval' });
  });

  it('ask the people of the first of several that ask, and tell them of all', () => {
    const approvals = { finance: { approvers: ['finance-leads'] }, board: { approvers: ['board'], required: 2 } };
    const huge: JsonObject = {
      name: 'huge',
      when: 'request.amount > 1000.0',
      action: 'require_approval',
      approval: 'board',
    };
    const first = judgement({ amount: 5_000 }, [huge, BIG], { approvals });
    expect(first).toMatchObject({ policy: 'huge', rule: { approvers: ['board'], required: 2 } });
    expect(first).toMatchObject({ reason: `request.amount > 1000.0; also big: ${BIG_WHEN}` });
    expect(judgement({ amount: 5_000 }, [BIG, huge], { approvals })).toMatchObject({
      rule: { approvers: ['finance-leads'] },
    });
    expect(judgement({ amount: 500 }, [huge, BIG], { approvals })).toMatchObject({ policy: 'big', reason: BIG.when });
  });

  it('never allow because they cannot be evaluated', () => {
    expect(judgement({}, [BIG])).toMatchObject({ action: 'require_approval', policy: 'big' });
    expect(judgement({}, [BIG], { policy_defaults: { on_error: 'deny' } })).toMatchObject({
      action: 'deny',
      code: 'policy_error',
      policy: 'big',
    });
  });

  it('see the outputs of the steps before, and judge a call without them like one that cannot be judged', () => {
    const blocked: JsonObject = { name: 'blocked', when: 'steps.pay.output.blocked', action: 'deny' };
    expect(judgement({}, [blocked], {}, { pay: { output: { blocked: true } } })).toMatchObject({ policy: 'blocked' });
    expect(judgement({}, [blocked], {}, { pay: { output: { blocked: false } } })).toEqual({ action: 'allow' });
    expect(judgement({}, [blocked])).toMatchObject({ action: 'require_approval', policy: 'blocked' });
  });

  it('fall back to the default for the scope of the operation', () => {
    expect(judgement({}, [], { policy_defaults: { write: 'deny' } })).toMatchObject({
      action: 'deny',
      policy: 'policy_defaults.write',
    });
  });

  it('share one budget: a policy that is not reached within it asks a person', () => {
    const list = Array.from({ length: 110 }, (_, n) => n);
    const dear = (index: number) => ({
      name: `dear-${index}`,
      when: `request.list.exists(a, request.list.exists(b, a + b == -${index + 1}.0))`,
      action: 'deny',
    });
    const policies = Array.from({ length: 8 }, (_, index) => dear(index));
    expect(judgement({ list }, policies.slice(0, 3))).toEqual({ action: 'allow' });
    expect(judgement({ list }, policies)).toMatchObject({ action: 'require_approval', policy: 'dear-5' });
  });
});
