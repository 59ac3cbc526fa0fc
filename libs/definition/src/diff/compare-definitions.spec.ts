import type { JsonObject } from '@app/kernel';
import fastJsonPatch from 'fast-json-patch';
import { compareDefinitions } from './compare-definitions.js';

const operation = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  method: 'POST',
  path: `/${name}`,
  ...more,
});

const BASE: JsonObject = {
  name: 'desk',
  tools: [{ name: 'shop', type: 'http', base_url: 'https://shop.example', operations: [operation('refund')] }],
  policies: [{ name: 'big', when: 'request.amount > 100.0', action: 'require_approval', approval: 'finance' }],
  approvals: { finance: { approvers: ['finance'], required: 2 } },
  limits: { max_steps: 10, budget: { per_run: '0.50', currency: 'EUR' } },
  triggers: [{ id: 'hook', type: 'webhook' }],
  evaluation: {
    cases: [{ name: 'a', input: {}, assert: [{ type: 'status', value: 'succeeded' }] }],
    gate: { min_pass_rate: 0.9 },
  },
  redact: { paths: ['input.body'] },
  steps: [
    { id: 'sign', approval: 'finance' },
    { id: 'result', output: {} },
  ],
};

const BASE_STEPS = BASE.steps as JsonObject[];
const repeat = { steps: [{ id: 'page', let: { a: 1 } }], until: 'true', max: 10 };
const LOOP: JsonObject = { id: 'pages', repeat };

/** Returns the capability changes that follow from a change to BASE, in the form `severity kind: message`. */
const changes = (change: JsonObject, base: JsonObject = BASE): string[] =>
  compareDefinitions(base, { ...base, ...change }).capabilityChanges.map(
    ({ severity, kind, message }) => `${severity} ${kind}: ${message}`,
  );

const shop = (...operations: JsonObject[]) => ({
  tools: [{ name: 'shop', type: 'http', base_url: 'https://shop.example', operations }],
});

describe('comparing definitions', () => {
  it('finds no changes between equal definitions', () => {
    expect(compareDefinitions(BASE, structuredClone(BASE))).toEqual({ patch: [], capabilityChanges: [] });
  });

  it('returns a JSON Patch that turns one into the other', () => {
    const after = { ...BASE, ...shop(operation('refund'), operation('look', { method: 'GET' })), description: 'New.' };
    const { patch } = compareDefinitions(BASE, after);
    expect(patch.length).toBeGreaterThan(0);
    expect(fastJsonPatch.applyPatch(structuredClone(BASE), patch).newDocument).toEqual(after);
  });

  it('ignores members that no capability depends on', () => {
    expect(changes({ description: 'Another text.', labels: { team: 'b' } })).toEqual([]);
  });

  it.each<[string, JsonObject, string[]]>([
    [
      'tools',
      shop(operation('refund'), operation('pay'), operation('look', { method: 'GET' })),
      ['critical tool_gained: Gains the write tool shop.pay.', 'info tool_gained: Gains the read tool shop.look.'],
    ],
    [
      'the loss of a tool',
      shop(operation('look', { method: 'GET' })),
      ['info tool_gained: Gains the read tool shop.look.', 'info tool_lost: Loses the write tool shop.refund.'],
    ],
    [
      'a scope',
      shop(operation('refund', { scope: 'read' })),
      ['warning tool_scope_changed: The scope of shop.refund changes from write to read.'],
    ],
    [
      'an effect',
      shop(operation('refund', { effect: 'idempotent', idempotency: { header: 'Idempotency-Key' } })),
      [
        'critical tool_effect_changed: The effect of shop.refund is idempotent, no longer at_most_once, so a call may be sent again after a crash.',
      ],
    ],
    [
      'a path',
      shop(operation('refund', { path: '/other' })),
      ['warning tool_target_changed: Calls of shop.refund use another method or path.'],
    ],
    [
      'an address',
      { tools: [{ name: 'shop', type: 'http', base_url: 'https://evil.example', operations: [operation('refund')] }] },
      [
        'critical tool_target_changed: `base_url` of the tool shop has changed, so its calls may go to another system or use other credentials.',
      ],
    ],
    ['a loop', { steps: [...BASE_STEPS, LOOP] }, ['warning loop_gained: Gains the loop pages with up to 10 rounds.']],
    ['the loss of a policy', { policies: [] }, ['critical policy_lost: Loses the policy big (require_approval).']],
    [
      'a loosened policy',
      { policies: [{ name: 'big', when: 'request.amount > 100.0', action: 'allow' }] },
      ['critical policy_changed: The policy big is loosened from require_approval to allow.'],
    ],
    [
      'the condition of a policy',
      { policies: [{ name: 'big', when: 'request.amount > 900.0', action: 'require_approval', approval: 'finance' }] },
      [
        'warning policy_changed: The policy big applies when `request.amount > 900.0`, no longer when `request.amount > 100.0`.',
      ],
    ],
    [
      'defaults',
      { policy_defaults: { write: 'deny' } },
      ['info policy_defaults_changed: The policy default `write` is deny, no longer allow.'],
    ],
    [
      'a loosened approval',
      { approvals: { finance: { approvers: ['finance', 'sales'], required: 1 } } },
      [
        'critical approval_changed: The approval finance is loosened: 1 instead of 2 people must approve, sales may also approve.',
      ],
    ],
    [
      'an approval that is not loosened',
      { approvals: { finance: { approvers: ['finance'], required: 3, timeout: '24h' } } },
      [
        'warning approval_changed: The approval finance has changed: `required` is 3, was 2; `timeout` is 24h, was not set.',
      ],
    ],
    [
      'the loss of an approval step',
      { steps: [{ id: 'result', output: {} }] },
      ['critical approval_step_lost: No longer waits for finance in the step sign.'],
    ],
    [
      'the loss of the gate',
      { evaluation: { cases: [] } },
      ['critical gate_lost: Loses the gate: a version can be promoted without an evaluation.'],
    ],
    ['what traces show', { redact: { paths: [] } }, ['critical redaction_lost: Traces no longer redact input.body.']],
    [
      'a doubled budget',
      { limits: { max_steps: 10, budget: { per_run: '1.00', currency: 'EUR' } } },
      ['warning budget_changed: Budget per run ×2: 1.00 EUR instead of 0.50 EUR.'],
    ],
    [
      'the loss of the budget',
      { limits: { max_steps: 5 } },
      [
        'critical budget_lost: Loses its budget of 0.50 EUR per run.',
        'info limit_changed: `max_steps` ×0.5: 5 instead of 10.',
      ],
    ],
    [
      'limits',
      { limits: { ...(BASE.limits as JsonObject), max_steps: 1_000, max_duration: '300s', max_wait: '60d' } },
      [
        'warning limit_changed: `max_steps` ×100: 1000 instead of 10.',
        'warning limit_changed: `max_wait` ×2: 60d instead of 30d (default).',
        'info limit_changed: `max_duration` ×0.333: 300s instead of 15m (default).',
      ],
    ],
    [
      'triggers',
      { triggers: [{ id: 'mail', type: 'email.received', mailbox: 'a@example.com' }] },
      [
        'warning trigger_gained: Gains the trigger mail (email.received).',
        'warning trigger_lost: Loses the trigger hook (webhook).',
        'warning file_input_gained: The trigger mail takes files.',
      ],
    ],
    [
      'knowledge',
      { knowledge: [{ base: 'handbook' }] },
      ['warning knowledge_gained: Reads the knowledge base handbook.'],
    ],
    [
      'concurrency',
      { concurrency: { max: 5 } },
      ['warning concurrency_changed: The limits of concurrent runs have changed.'],
    ],
  ])('reports %s', (_, change, expected) => {
    expect(changes(change)).toEqual(expected);
  });

  it('reports the loss of an approval', () => {
    const { approvals: _, ...without } = BASE;
    const after = { ...without, policies: [{ name: 'big', when: 'true', action: 'deny' }], steps: [] };
    const found = compareDefinitions(BASE, after).capabilityChanges.map(({ kind }) => kind);
    expect(found).toEqual(['approval_lost', 'approval_step_lost', 'policy_changed']);
  });

  it('reports a new and a changed model', () => {
    const model = { provider: 'anthropic', name: 'large' };
    const modelled: JsonObject = { name: 'desk', model, instructions: 'Help.' };
    expect(changes({ model: { ...model, name: 'small' }, instructions: 'Help!' }, modelled)).toEqual([
      'warning model_changed: Uses the model anthropic/small, no longer anthropic/large.',
      'warning instructions_changed: The instructions for the model have changed.',
    ]);
    const planned = { name: 'desk', steps: [] };
    expect(compareDefinitions(planned, modelled).capabilityChanges[0]).toMatchObject({
      kind: 'kind_changed',
      severity: 'critical',
      message: 'A model decides what it does.',
    });
  });

  it('points at the place in the definition that has it', () => {
    const gained = compareDefinitions(BASE, { ...BASE, ...shop(operation('refund'), operation('pay')) });
    expect(gained.capabilityChanges).toMatchObject([{ pointer: '/tools/0/operations/1', before: null }]);
    expect(compareDefinitions(BASE, { ...BASE, policies: [] }).capabilityChanges).toMatchObject([
      { pointer: '/policies/0', after: null },
    ]);
  });

  it('compares the settings of a loop, and not the steps of its rounds', () => {
    const before = { ...BASE, steps: [LOOP] };
    const after = (change: JsonObject) => changes({ steps: [{ ...LOOP, repeat: { ...repeat, ...change } }] }, before);
    expect(after({ max: 20 })).toEqual(['warning loop_changed: The loop pages may run 20 rounds, no longer 10.']);
    expect(after({ max: 5 })).toEqual(['info loop_changed: The loop pages may run 5 rounds, no longer 10.']);
    expect(after({ until: 'false' })).toEqual(['info loop_changed: The loop pages has changed.']);
    expect(after({ steps: [{ id: 'page', let: { a: 2 } }] })).toEqual([]);
    expect(changes({ steps: [] }, before)).toEqual(['info loop_lost: Loses the loop pages.']);
  });

  it('compares code', () => {
    const code = (source: string): JsonObject[] => [{ id: 'score', code: { source } }];
    const before = { ...BASE, steps: code('export default () => 1') };
    expect(changes({ steps: code('export default () => 2') }, before)).toEqual([
      'warning code_changed: The code of the step score has changed.',
    ]);
    expect(changes({ steps: [] }, before)).toEqual(['info code_lost: Loses the code step score.']);
    expect(changes(before, { ...BASE, steps: [] })).toEqual(['info code_gained: Gains the code step score.']);
  });
});
