import { compileDefinition } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import { simulatedOutcome } from './call-admission.js';

function outputOf(tool: JsonObject, name: string, request: JsonObject = {}): unknown {
  const definition = compileDefinition({ name: 'test', tools: [tool], steps: [{ id: 'a', tool: name, with: {} }] });
  const operation = definition.operations.get(name);
  if (!operation) throw new Error('the test definition has no operation');
  const place = { kind: 'call', path: 'a', stepId: 'a', timeoutMs: 1_000, try: 1, delayMs: 0 } as const;
  const facts = { input: {}, trigger: {}, run: { id: 'run_1' }, agent: {} };
  return simulatedOutcome(definition, { ...place, operation, request, steps: {} }, facts);
}

describe('the output of a simulated call', () => {
  const payment = (more: { simulate?: JsonValue }): unknown => {
    const pay = { name: 'pay', method: 'POST', path: '/pay', ...more };
    return outputOf({ name: 'shop', type: 'http', base_url: 'https://shop.example', operations: [pay] }, 'shop.pay');
  };

  it('is `simulated: true` if the operation declares none', () => {
    expect(payment({})).toEqual({ ok: true, output: { simulated: true } });
  });

  it.each<[JsonValue, JsonValue]>([
    [null, null],
    ['${{ null }}', null],
    [{ ids: ['${{ input.?id }}'] }, { ids: [null] }],
  ])('is the declared value %j, also if it is null', (simulate, output) => {
    expect(payment({ simulate })).toEqual({ ok: true, output });
  });
});

describe('a simulated mail', () => {
  const FIXED = { name: 'mail', type: 'email', to: ['ann@example.com', 'bob@example.com'] };
  const COMPUTED = { name: 'mail', type: 'email', to: '${{ request.to }}', allowed_recipients: ['*@example.com'] };
  const MAIL = { subject: 'Report', text: 'Hello' };

  it('has the output of a mail that all recipients accept', () => {
    expect(outputOf(FIXED, 'mail.send', MAIL)).toEqual({
      ok: true,
      output: {
        message_id: expect.stringMatching(/^<[0-9a-f]{40}@simulated\.invalid>$/),
        accepted: ['ann@example.com', 'bob@example.com'],
        rejected: [],
        simulated: true,
      },
    });
    const request = { ...MAIL, to: 'x@example.com', cc: ['y@example.com'] };
    expect(outputOf(COMPUTED, 'mail.send', request)).toMatchObject({
      output: { accepted: ['x@example.com', 'y@example.com'] },
    });
  });

  it.each<[JsonObject, string]>([
    [{ to: 'eve@evil.example' }, 'tool_denied'],
    [{ to: 'x@example.com', cc: 'eve@evil.example' }, 'tool_denied'],
    [{ to: 'x@example.com', subject: 'a\u0007b' }, 'tool_error'],
    [{ to: [] }, 'tool_error'],
    [{ to: 'x@example.com', attachments: [{ base64: '!' }] }, 'tool_error'],
  ])('fails for %j as in production', (more, code) => {
    expect(outputOf(COMPUTED, 'mail.send', { ...MAIL, ...more })).toMatchObject({
      ok: false,
      error: { code, step: 'a', permanent: true },
    });
  });

  it('is replaced by `simulate` of the tool, but still checked', () => {
    const tool = { ...COMPUTED, simulate: { accepted: ['${{ request.to }}'] } };
    expect(outputOf(tool, 'mail.send', { ...MAIL, to: 'x@example.com' })).toEqual({
      ok: true,
      output: { accepted: ['x@example.com'] },
    });
    expect(outputOf(tool, 'mail.send', { ...MAIL, to: 'eve@evil.example' })).toMatchObject({ ok: false });
  });

  it('of the built-in tool succeeds', () => {
    expect(outputOf(FIXED, 'notify.send', MAIL)).toMatchObject({ ok: true, output: { accepted: [], simulated: true } });
  });
});
