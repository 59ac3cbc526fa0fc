import { compileDefinition } from '@app/definition';
import { invariant, type JsonObject, newId } from '@app/kernel';
import { completed, decide, type EventRule, type Start, type TurnDown } from './trigger-decision.js';

const HOOK: JsonObject = { id: 'hook', type: 'webhook' };

function decisionFor(
  body: JsonObject,
  triggers: JsonObject[],
  more: JsonObject = {},
  maxInputBytes = 1024 * 1024,
): { rule: EventRule } & (Start | TurnDown) {
  const definition = compileDefinition({ name: 'test', triggers, steps: [{ id: 'a', output: {} }], ...more });
  const rules = definition.triggers.map((trigger): EventRule => {
    invariant(trigger.kind === 'webhook', 'these are webhooks');
    return { id: trigger.id, type: 'webhook', filter: trigger.filter, map: trigger.map };
  });
  const [first, ...others] = rules;
  invariant(first, 'there is one');
  const decision = decide(
    definition,
    [first, ...others],
    { scope: { body }, input: body, facts: { delivery: 'd1' } },
    maxInputBytes,
  );
  return decision.kind === 'start' ? { rule: decision.rule, ...completed(definition, decision) } : decision;
}

describe('the decision about an event', () => {
  it('has files without their bytes where the definition wants references', () => {
    const file = { file: newId('file'), filename: 'a.txt', base64: 'AA==' };
    const body = { scan: file, mail: [{ ...file, encoding: 'text', content: 'a' }], base64: 'AA==' };
    const mapped = [{ ...HOOK, filter: 'body.scan.base64 == null', map: { all: '${{ body }}' } }];
    const shown = { scan: { ...file, base64: null }, base64: 'AA==' };
    const mail = [{ ...file, base64: null, encoding: null, content: null }];
    expect(decisionFor(body, mapped, { files: 'reference' })).toMatchObject({ input: { all: { ...shown, mail } } });
    expect(decisionFor(body, [HOOK], { files: 'reference' })).toMatchObject({ input: { ...shown, mail } });
    expect(decisionFor(body, [HOOK])).toMatchObject({ input: body });
  });

  it('is a run with what arrived as its input where nothing is mapped', () => {
    const decision = decisionFor({ a: 1 }, [HOOK]);
    expect(decision).toMatchObject({ kind: 'start', input: { a: 1 } });
    expect(decision).toMatchObject({ trigger: { type: 'webhook', id: 'hook', delivery: 'd1' } });
  });

  it('is a run with what the map makes of it', () => {
    const map = { who: '${{ body.user.name }}', via: 'hook ${{ trigger.delivery }}' };
    const decision = decisionFor({ user: { name: 'Ada' } }, [{ ...HOOK, map }]);
    expect(decision).toMatchObject({ kind: 'start', input: { who: 'Ada', via: 'hook d1' } });
  });

  it('is nothing where the filter ignores it', () => {
    const triggers = [{ ...HOOK, filter: 'body.kind == "refund"' }];
    expect(decisionFor({ kind: 'refund' }, triggers).kind).toBe('start');
    const ignored = decisionFor({ kind: 'other' }, triggers);
    expect(ignored).toMatchObject({
      kind: 'filtered',
      reason: 'The filter `body.kind == "refund"` is false for the event, so no run starts.',
    });
  });

  it('is an error, and never a run, where an expression fails', () => {
    expect(decisionFor({}, [{ ...HOOK, filter: 'body.kind == "refund"' }])).toMatchObject({
      kind: 'error',
      reason: expect.stringContaining('The filter of the trigger `hook` failed: '),
    });
    expect(decisionFor({}, [{ ...HOOK, map: { a: '${{ body.a }}' } }])).toMatchObject({
      kind: 'error',
      reason: expect.stringContaining('The map of the trigger `hook` failed: '),
    });
  });

  it('is refused where it does not fit the input, with the places', () => {
    const input = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
    expect(decisionFor({ name: 7 }, [HOOK], { input })).toMatchObject({
      kind: 'refused',
      errors: [{ pointer: '/name' }],
    });
    const mapped = decisionFor({ n: 7 }, [{ ...HOOK, map: { name: '${{ body.n }}' } }], { input });
    expect(mapped).toMatchObject({ kind: 'refused', errors: [{ pointer: '/name' }] });
  });

  it('is refused where the map makes it larger than an input may be', () => {
    const map = { a: '${{ body }}', b: '${{ body }}' };
    const decision = decisionFor({ text: 'x'.repeat(600_000) }, [{ ...HOOK, map }]);
    expect(decision).toMatchObject({ kind: 'refused', errors: [{ detail: 'The input is larger than 1 MiB.' }] });
    expect(decisionFor({ text: 'x'.repeat(600_000) }, [{ ...HOOK, map }], {}, 1_250_000).kind).toBe('start');
  });

  describe('with several triggers', () => {
    const [first, second] = [
      { ...HOOK, id: 'first', filter: 'body.kind == "a"' },
      { ...HOOK, id: 'second', filter: 'body.kind == "b"' },
    ];
    const ruleFor = (body: JsonObject, triggers = [first, second]) => {
      const { kind, rule } = decisionFor(body, triggers);
      return `${rule.id} ${kind}`;
    };

    it('is up to the first that does not ignore it', () => {
      expect(ruleFor({ kind: 'a' })).toBe('first start');
      expect(ruleFor({ kind: 'b' })).toBe('second start');
      expect(ruleFor({ kind: 'c' })).toBe('first filtered');
    });

    it('is not kept from the others by one that fails', () => {
      const failing = { ...HOOK, id: 'failing', filter: 'body.missing' };
      expect(ruleFor({ kind: 'b' }, [failing, second])).toBe('second start');
      expect(ruleFor({ kind: 'c' }, [failing, second])).toBe('failing error');
      expect(ruleFor({ kind: 'c' }, [second, failing])).toBe('failing error');
    });
  });
});
