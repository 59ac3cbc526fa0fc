import { randomBytes } from 'node:crypto';
import type { CompiledVersionsService } from '@app/agents';
import { SealedBox } from '@app/platform/crypto';
import fc from 'fast-check';
import type { JsonValue } from '@app/kernel';
import type { RunStore } from '../store/run.store.js';
import { RunPrivaciesService } from './run-privacies.service.js';
import { restoredObject, shownValue } from './sealed-value.js';

const ADDRESS = { workspaceId: 'wsp_1', agentId: 'agt_1' };
// The store and the versions are only used to open claimed runs, which these tests do not do.
const [store, versions] = [{} as RunStore, {} as CompiledVersionsService];
const privacies = new RunPrivaciesService(new SealedBox([randomBytes(32)]), store, versions);
const privacyOf = (...paths: string[]) => privacies.of(ADDRESS, { redactPaths: paths.map((path) => path.split('.')) });

describe('the privacy of a run', () => {
  it.each<[path: string, value: JsonValue, shown: JsonValue]>([
    ['input.body', { body: 'my iban', n: 1 }, { body: '[redacted]', n: 1 }],
    ['input.body', { body: { a: 1 } }, { body: '[redacted]' }],
    ['input.body', { text: 'x' }, { text: 'x' }],
    ['input', { a: 1, b: [2] }, { a: '[redacted]', b: '[redacted]' }],
    ['input.*.iban', { a: { iban: 1, b: 2 }, c: 3 }, { a: { iban: '[redacted]', b: 2 }, c: 3 }],
    ['input.lines.iban', { lines: [{ iban: 1 }, { iban: 2, n: 3 }] }, { lines: [{ iban: '[redacted]' }, { iban: '[redacted]', n: 3 }] }],
    ['input.lines.1', { lines: ['a', 'b'] }, { lines: ['a', '[redacted]'] }],
    ['input.lines.*', { lines: ['a', 'b'] }, { lines: ['[redacted]', '[redacted]'] }],
    ['output.body', { body: 'kept' }, { body: 'kept' }],
  ])('hides %s of %j', (path, value, shown) => {
    const privacy = privacyOf(path);
    const sealed = privacy.sealed(value, ['input']);
    expect(shownValue(sealed)).toEqual(shown);
    expect(privacy.opened(sealed)).toEqual(value);
  }); // prettier-ignore

  it('hides what repeats a redacted value elsewhere, as it is, inside text and inside JSON', () => {
    const privacy = privacyOf('input.body');
    privacy.sealed({ body: 'my "secret" iban' }, ['input']);
    const repeated = { text: 'Hello: my "secret" iban!', json: JSON.stringify({ b: 'my "secret" iban' }), n: 1 };
    const sealed = privacy.sealed(repeated, ['tools', 'shop', 'get', 'request']);
    expect(JSON.stringify(sealed)).not.toContain('iban');
    expect(shownValue(sealed)).toEqual({ text: 'Hello: [redacted]!', json: '{"b":"[redacted]"}', n: 1 });
    expect(privacy.opened(sealed)).toEqual(repeated);
    expect(privacy.text('It was my "secret" iban.')).toBe('It was [redacted].');
  });

  it('hides a number of six characters or more wherever it is repeated, but no count of the service', () => {
    const privacy = privacyOf('input.account', 'input.age');
    privacy.sealed({ account: 987_654.5, age: 42 }, ['input']);
    const sealed = privacy.sealed({ to: 987_654.5, all: [987_654.5, 987_654, 42], text: 'to 987654.5' }, ['output']);
    expect(shownValue(sealed)).toEqual({ to: '[redacted]', all: ['[redacted]', 987_654, 42], text: 'to [redacted]' });
    expect(privacy.opened(sealed)).toEqual({ to: 987_654.5, all: [987_654.5, 987_654, 42], text: 'to 987654.5' });
    const told = privacy.sealedDetail({ duration_ms: 987_654.5, response_summary: '987654.5' });
    expect(shownValue(told)).toEqual({ duration_ms: 987_654.5, response_summary: '[redacted]' });
  });

  it('hides what repeats a value that is itself stored nowhere', () => {
    const privacy = privacyOf('steps.account.output.iban');
    privacy.trackValue({ iban: 'DE00 1234', bank: 'A bank' }, ['steps', 'account', 'output']);
    const sealed = privacy.sealed({ text: 'DE00 1234 at A bank' }, ['output']);
    expect(shownValue(sealed)).toEqual({ text: '[redacted] at A bank' });
  });

  it('opens to what was sealed, whatever it is, also what looks like a sealed value', () => {
    const odd = fc.record({ $sealed: fc.string(), shown: fc.string() });
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ depthSize: 'small' }, fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null), odd, tie('list'), tie('object')),
      list: fc.array(tie('any'), { maxLength: 4 }),
      object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any')),
    })); // prettier-ignore
    fc.assert(
      fc.property(value.object, fc.constantFrom('input.a', 'input', 'input.*.b', 'input.a.c'), (input, path) => {
        const plain = JSON.parse(JSON.stringify(input)) as JsonValue;
        const privacy = privacyOf(path);
        expect(privacy.opened(privacy.sealed(plain, ['input']))).toEqual(plain);
      }),
    );
  });

  it('seals a value once, whatever other paths lead into it', () => {
    const customer = { name: 'Ada Lovelace', iban: 'DE00 1234' };
    for (const paths of [
      ['input.customer', 'input.customer.*'],
      ['input.customer.*', 'input.customer'],
    ]) {
      const privacy = privacyOf(...paths);
      const sealed = privacy.sealed({ customer }, ['input']);
      expect(shownValue(sealed)).toEqual({ customer: '[redacted]' });
      expect(privacy.opened(sealed)).toEqual({ customer });
    }
  });

  it('leaves everything as it is where nothing is redacted', () => {
    const value = { $sealed: 'no', shown: 'data of a person' };
    expect(privacyOf().sealed(value, ['input'])).toBe(value);
    expect(privacyOf().opened({ value })).toEqual({ value });
  });

  it('does not open for another agent', () => {
    const sealed = privacyOf('input.a').sealed({ a: 'kept' }, ['input']);
    const other = privacies.of({ ...ADDRESS, agentId: 'agt_2' }, { redactPaths: [['input', 'a']] });
    expect(() => other.opened(sealed)).toThrow(expect.objectContaining({ code: 'internal_error' }));
  });

  it('keeps what an editor was not shown and gave back as it was shown', () => {
    const privacy = privacyOf('tools.shop.pay.request.card');
    const stored = privacy.sealedObject({ card: '4111 1111', sum: 1 }, ['tools', 'shop', 'pay', 'request']);
    const edited = restoredObject({ card: '[redacted]', sum: 2 }, stored);
    expect(privacy.opened(edited)).toEqual({ card: '4111 1111', sum: 2 });
    expect(privacy.opened(restoredObject({ card: '5000 0000', sum: 2 }, stored))).toEqual({
      card: '5000 0000',
      sum: 2,
    });
  });
});
