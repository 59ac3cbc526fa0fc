import type { JsonObject } from '@app/kernel';
import { parse } from 'yaml';
import { INVOICE_ROUTER, REFUND_DESK } from '../testing/example-definitions.js';
import { compileDefinition } from './compile-definition.js';

const compileYaml = (text: string) => compileDefinition(parse(text) as JsonObject);

const withOperations = (...operations: JsonObject[]) =>
  compileDefinition({
    name: 'x',
    tools: [{ name: 't', type: 'http', base_url: 'https://a.example/', operations }],
    steps: [{ id: 'a', output: 1 }],
  });

describe('compileDefinition', () => {
  it('fills in the defaults', () => {
    const compiled = compileDefinition({ name: 'x', steps: [{ id: 'a', output: 1 }] });
    expect(compiled.limits).toEqual({
      maxSteps: 100,
      maxDurationMs: 15 * 60_000,
      maxWaitMs: 30 * 86_400_000,
      queueTtlMs: null,
      budget: null,
    });
    expect(compiled.policyDefaults).toEqual({
      read: 'allow',
      write: 'allow',
      onError: 'require_approval',
      approval: null,
    });
    expect(compiled.retry).toMatchObject({ maxAttempts: 1, maxAttemptsUnanswered: 3 });
    expect(compiled.input).toBeNull();
  });

  it('prefers the attempts and pauses of a retry policy to the defaults', () => {
    const retryOf = (retry: JsonObject) =>
      compileDefinition({ name: 'x', retry, steps: [{ id: 'a', output: 1 }] }).retry;
    expect(retryOf({ max_attempts: 1 })).toMatchObject({ maxAttempts: 1, maxAttemptsUnanswered: 1 });
    expect(retryOf({ initial: '5s' })).toMatchObject({ maxAttempts: 1, maxAttemptsUnanswered: 3, maxMs: 60_000 });
    expect(retryOf({ max_attempts: 3, initial: '2m' })).toMatchObject({ initialMs: 120_000, maxMs: 120_000 });
    expect(retryOf({ max_attempts: 3, max: '500ms' })).toMatchObject({ initialMs: 500, maxMs: 500 });
  });

  it('reads durations, amounts and rules', () => {
    const { limits, retry, approvals, policies, evaluation, redactPaths, model } = compileYaml(REFUND_DESK);
    expect(limits).toMatchObject({ maxSteps: 30, maxDurationMs: 600_000, queueTtlMs: 3_600_000 });
    expect(limits.budget).toEqual({
      perRunMicros: 500_000n,
      perDayMicros: 25_000_000n,
      currency: 'EUR',
      onExceeded: 'fail',
    });
    expect(retry).toMatchObject({
      maxAttempts: 3,
      maxAttemptsUnanswered: 3,
      initialMs: 2_000,
      retryOn: ['timeout', 'provider_error', 'provider_rate_limited'],
    });
    expect(approvals.get('finance')).toMatchObject({
      required: 1,
      timeoutMs: 86_400_000,
      onTimeout: 'hand_off',
      onReject: 'continue',
    });
    expect(policies.map(({ name, action, approval }) => [name, action, approval])).toEqual([
      ['big-refund', 'require_approval', 'finance'],
      ['only-the-sender', 'deny', null],
    ]);
    expect(evaluation?.gate).toMatchObject({ minPassRate: 0.9, mustPassTags: ['safety'], maxAgeMs: 7 * 86_400_000 });
    expect(redactPaths).toEqual([['input', 'body']]);
    expect(model).toMatchObject({
      provider: 'anthropic',
      fallback: [{ provider: 'openai', name: 'gpt-6.1-terra' }],
      params: { temperature: 0 },
    });
  });

  it('reads a pass rate of 1 as no rate: every trial must pass', () => {
    const cases = [{ name: 'c', input: {}, assert: [{ type: 'cel', value: 'true' }] }];
    const rateOf = (gate: JsonObject) =>
      compileDefinition({ name: 'x', steps: [{ id: 'a', output: 1 }], evaluation: { cases, gate } }).evaluation?.gate
        ?.minPassRate;
    expect([rateOf({ min_pass_rate: 1 }), rateOf({ min_pass_rate: 0.99 })]).toEqual([null, 0.99]);
  });

  it('accepts a model as one text', () => {
    expect(compileDefinition({ name: 'x', model: 'a/b/c' }).model).toMatchObject({ provider: 'a', name: 'b/c' });
  });

  it('treats GET and HEAD as reads and other methods as at_most_once writes', () => {
    const { operations, tools } = withOperations(
      { name: 'get', method: 'GET', path: '/o/{id}/l' },
      { name: 'post', method: 'POST', path: '/o' },
      { name: 'search', method: 'POST', path: '/s', scope: 'read', timeout: '5s' },
      { name: 'put', method: 'PUT', path: '/o', effect: 'idempotent', idempotency: {} },
      { name: 'del', method: 'DELETE', path: '/o' },
    );
    expect([...operations.values()].slice(0, 5).map(({ fullName, scope, effect, idempotencyHeader, http, timeoutMs }) =>
      [fullName, scope, effect, idempotencyHeader, http?.placement, timeoutMs])).toEqual([
      ['t.get', 'read', 'read', null, 'query', 30_000],
      ['t.post', 'write', 'at_most_once', null, 'body', 30_000],
      ['t.search', 'read', 'read', null, 'body', 5_000],
      ['t.put', 'write', 'idempotent', 'Idempotency-Key', 'body', 30_000],
      ['t.del', 'write', 'at_most_once', null, 'query', 30_000],
    ]); // prettier-ignore
    expect(operations.get('t.get')?.http?.path).toEqual([{ text: '/o/' }, { parameter: 'id' }, { text: '/l' }]);
    expect(tools.get('t')).toMatchObject({ baseUrl: 'https://a.example' });
  });

  it('treats operations of a tool server as writes unless the definition sets another effect', () => {
    const { operations } = compileYaml(REFUND_DESK);
    expect(operations.get('crm.getCustomer')).toMatchObject({ scope: 'write', effect: 'at_most_once' });
    expect(operations.get('mail.send_reply')).toMatchObject({ scope: 'write', effect: 'at_most_once' });
  });

  it('compiles reconciliation, simulation and secrets', () => {
    const { operations, tools } = compileYaml(REFUND_DESK);
    const reconcile = operations.get('orders.refund')?.reconcile;
    const call = { request: { order_id: '7' }, call: { key: 'k' } };
    expect(reconcile?.operation).toBe('orders.get');
    expect(reconcile?.with.evaluate(call)).toEqual({ order_id: '7' });
    expect(reconcile?.appliedIf.evaluate({ ...call, response: { body: { refunds: [{ key: 'k' }] } } })).toBe(true);
    expect(reconcile?.output).toBeNull();
    expect(operations.get('orders.refund')?.simulate?.evaluate({})).toEqual({ refund_id: 're_simulated' });
    expect(tools.get('orders')).toMatchObject({ secretNames: ['ORDERS_TOKEN'], auth: { kind: 'bearer' } });
  });

  it('compiles each kind of step', () => {
    const { steps, onFailure } = compileYaml(INVOICE_ROUTER);
    const loop = steps.find((step) => step.kind === 'for_each');
    expect(loop).toMatchObject({
      as: 'line',
      maxParallel: 4,
      steps: [{ id: 'check', kind: 'assert', pointer: '/steps/4/steps/0' }],
    });
    const check = loop?.steps[0];
    const line = { quantity: 2, unit_price: 3, amount: 6 };
    expect(check?.kind === 'assert' && check.condition.evaluate({ line })).toBe(true);
    expect(steps.find((step) => step.id === 'invoice')?.retry).toMatchObject({
      maxAttempts: 4,
      maxAttemptsUnanswered: 4,
      initialMs: 1_000,
      maxMs: 30_000,
    });
    expect(onFailure).toMatchObject([{ kind: 'tool', operation: 'notify.send' }]);
  });

  it('adds a notify tool for the admins unless the definition has its own', () => {
    const plan = { name: 'x', steps: [{ id: 'a', output: 1 }] };
    expect(compileDefinition(plan).tools.get('notify')).toMatchObject({ kind: 'email', to: null });
    const own = { ...plan, tools: [{ name: 'notify', type: 'email', to: ['a@b.example'] }] };
    expect(compileDefinition(own).tools.get('notify')).toMatchObject({ kind: 'email', to: ['a@b.example'] });
  });

  it('accepts a stored loop whose item has a name that a submitted definition cannot use', () => {
    const steps = [{ id: 'a', for_each: [1], as: 'in', steps: [{ id: 'b', output: 1 }] }];
    expect(compileDefinition({ name: 'x', steps }).steps).toMatchObject([{ kind: 'for_each', as: 'in' }]);
  });

  it('throws for a stored definition that is corrupt', () => {
    expect(() => compileDefinition({ name: 'x', steps: [{ id: 'a' }] })).toThrow(
      expect.objectContaining({ code: 'internal_error' }),
    );
    expect(() => compileDefinition({ name: 'x', steps: [{ id: 'a', assert: '1 +' }] })).toThrow(
      expect.objectContaining({ code: 'internal_error' }),
    );
    expect(() => compileDefinition({})).toThrow(expect.objectContaining({ code: 'internal_error' }));
  });

  it('accepts `value` and `max` in assertions about cost, latency and steps', () => {
    const limits = (key: string) => {
      const assert = [
        { type: 'cost', [key]: '0.10' },
        { type: 'latency', [key]: '2s' },
        { type: 'steps', [key]: 3 },
      ];
      const steps = [{ id: 'a', output: 1 }];
      const evaluation = { cases: [{ name: 'c', input: {}, assert }] };
      return compileDefinition({ name: 'x', steps, evaluation }).evaluation?.cases[0]?.assertions;
    };
    expect(limits('value')).toEqual([
      { kind: 'cost', maxMicros: 100_000n },
      { kind: 'latency', maxMs: 2_000 },
      { kind: 'steps', max: 3 },
    ]);
    expect(limits('max')).toEqual(limits('value'));
  });

  it('compiles the port, folder and secret names of a watched mailbox', () => {
    const imap = (further: object) => ({
      host: 'IMAP.example.com',
      user: 'desk',
      password: '${{ secrets.DESK }}',
      ...further,
    });
    const account = (further: object) => {
      const triggers = [{ id: 'inbox', type: 'email.received', mailbox: 'desk@example.com', imap: imap(further) }];
      const [trigger] = compileDefinition({
        name: 'desk',
        triggers,
        steps: [{ id: 'done', output: {} }],
      }).triggers;
      return trigger?.kind === 'email.received' ? trigger.imap : null;
    };
    expect(account({})).toMatchObject({
      host: 'imap.example.com',
      port: 993,
      security: 'tls',
      folder: 'INBOX',
      secretNames: ['DESK'],
    });
    expect(account({ security: 'starttls' })).toMatchObject({ port: 143 });
    expect(account({})?.password.evaluate({ secrets: { DESK: 'word' } })).toBe('word');
  });

  it('keeps the bytes of received files in their values, unless it says otherwise', () => {
    const definition = { name: 'desk', steps: [{ id: 'done', output: {} }] };
    expect(compileDefinition(definition).files).toBe('inline');
    expect(compileDefinition({ ...definition, files: 'reference' }).files).toBe('reference');
  });
});
