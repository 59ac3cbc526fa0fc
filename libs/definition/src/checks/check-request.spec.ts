import type { JsonObject } from '@app/kernel';
import { parseDefinition } from '../index.js';
import { LIMITS } from '../testing/limits.js';

const REQUEST: JsonObject = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string' },
    sum: { type: 'number', minimum: 0 },
    kind: { enum: ['big', 'small'] },
    lines: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
    who: { $ref: '#/$defs/person' },
    either: { anyOf: [{ type: 'string' }, { type: 'object', properties: { n: { type: 'integer' } } }] },
  },
  $defs: { person: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
};

function findings(given: JsonObject, more: JsonObject = {}) {
  const operations = [{ name: 'pay', method: 'POST', path: '/pay', request: REQUEST }];
  const tools = [{ name: 'shop', type: 'http', base_url: 'https://shop.example', operations }];
  const steps = [{ id: 'pay', tool: 'shop.pay', with: { id: 'a', ...given } }];
  const parsed = parseDefinition(JSON.stringify({ name: 'x', tools, steps, ...more }), 'json', LIMITS);
  return parsed.ok ? { errors: [], warnings: parsed.warnings } : { errors: parsed.errors, warnings: [] };
}

describe('a request of a step', () => {
  it.each<[what: string, given: JsonObject, pointer: string]>([
    ['a constant of another type', { sum: '40' }, '/sum'],
    ['a constant beyond a limit', { sum: -1 }, '/sum'],
    ['a word that the enum lacks', { kind: 'huge' }, '/kind'],
    ['a constant beside an expression', { sum: '40', id: '${{ run.id }}' }, '/sum'],
    ['a constant inside an object with an expression', { lines: ['${{ run.id }}', { n: 'one' }] }, '/lines/1/n'],
    ['a member of a referenced schema', { who: { name: 7 }, id: '${{ run.id }}' }, '/who/name'],
    ['text around an expression where a number is required', { sum: '${{ 40 }} EUR' }, '/sum'],
    ['an object with an expression where a text is required', { id: { of: '${{ run.id }}' } }, '/id'],
  ])('is refused for %s', (_what, given, pointer) => {
    const { errors } = findings(given);
    expect(errors.map((error) => error.pointer)).toEqual([`/steps/0/with${pointer}`]);
    expect(errors[0]?.detail).toContain('does not match the request schema of `shop.pay`');
  });

  it.each<[what: string, given: JsonObject]>([
    ['constants that fit', { sum: 40, kind: 'big', lines: [{ n: 1 }], who: { name: 'Ada' }, either: 'x' }],
    ['expressions', { sum: '${{ double(1) }}', kind: '${{ run.mode }}', lines: '${{ [] }}', who: '${{ run }}' }],
    ['text with an expression', { id: 'order ${{ run.id }}', lines: [{ n: '${{ 1 }}' }] }],
    ['an alternative that may fit', { either: { n: '${{ run.id }}' }, id: '${{ run.id }}' }],
  ])('is not refused for %s', (_what, given) => {
    expect(findings(given).errors).toEqual([]);
  });
});

describe('a plan with a model', () => {
  const agent = (tools?: string[]) => ({ id: 'ai', agent: { instructions: 'Pay.', ...(tools && { tools }) } });

  it('needs no policy if each of its agent steps names its tools', () => {
    const warningsOf = (steps: JsonObject[]) =>
      findings({}, { model: 'a/b', steps }).warnings.map((one) => one.pointer);
    expect(warningsOf([agent(['shop.pay'])])).toEqual([]);
    expect(warningsOf([agent(['shop'])])).toEqual([]);
    expect(warningsOf([agent()])).toEqual(['/tools/0']);
  });
});

describe('an e-mail trigger', () => {
  const errorsOf = (trigger: JsonObject) => {
    const triggers = [{ id: 'inbox', type: 'email.received', mailbox: 'desk@example.com', ...trigger }];
    return findings({}, { triggers }).errors.map(({ pointer, suggestion }) => [pointer, suggestion]);
  };

  it.each<[trigger: JsonObject, pointer: string, suggestion: string | undefined]>([
    [{ filter: 'email.subjct == "x"' }, '/triggers/0/filter', 'Did you mean `subject`?'],
    [{ map: { text: '${{ email.body }}' } }, '/triggers/0/map/text', expect.stringContaining('Its fields are `from`')],
    [{ filter: 'email.dmarc == "passed"' }, '/triggers/0/filter', 'Did you mean `pass`?'],
    [{ filter: 'email.auto_submitted == "no"' }, '/triggers/0/filter', undefined],
  ])('is refused for a field that no e-mail has: %j', (trigger, pointer, suggestion) => {
    expect(errorsOf(trigger)).toEqual([[pointer, suggestion]]);
  });

  it('can read every field, also those that may be null', () => {
    const filter =
      '!email.auto_submitted && email.dmarc == "pass" && email.html != null && email.to.exists(x, x == "a")';
    const map = {
      from: '${{ email.from }}',
      who: '${{ email.sender == null ? "" : email.sender }}',
      text: '${{ email.subject + email.text }}',
      files: '${{ email.attachments.map(file, file.name) }}',
    };
    expect(errorsOf({ filter, map })).toEqual([]);
  });
});
