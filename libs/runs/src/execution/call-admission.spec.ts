import { compileDefinition } from '@app/definition';
import type { JsonValue } from '@app/kernel';
import { simulatedOutcome } from './call-admission.js';

describe('the output of a simulated call', () => {
  const outputOf = (more: { simulate?: JsonValue }): unknown => {
    const pay = { name: 'pay', method: 'POST', path: '/pay', ...more };
    const shop = { name: 'shop', type: 'http', base_url: 'https://shop.example', operations: [pay] };
    const steps = [{ id: 'a', tool: 'shop.pay' }];
    const operation = compileDefinition({ name: 'test', tools: [shop], steps }).operations.get('shop.pay');
    if (!operation) throw new Error('the test definition has no operation');
    const place = { kind: 'call', path: 'a', stepId: 'a', timeoutMs: 1_000, try: 1, delayMs: 0 } as const;
    return simulatedOutcome(
      { ...place, operation, request: {}, steps: {} },
      { input: {}, trigger: {}, run: {}, agent: {} },
    );
  };

  it('is `simulated: true` if the operation declares none', () => {
    expect(outputOf({})).toEqual({ ok: true, output: { simulated: true } });
  });

  it.each<[JsonValue, JsonValue]>([
    [null, null],
    ['${{ null }}', null],
    [{ ids: ['${{ input.?id }}'] }, { ids: [null] }],
  ])('is the declared value %j, also if it is null', (simulate, output) => {
    expect(outputOf({ simulate })).toEqual({ ok: true, output });
  });
});
