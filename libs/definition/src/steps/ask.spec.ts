import { parseDefinition } from '../parse-definition.js';
import { LIMITS } from '../testing/limits.js';

const asking = (form: string): string => `name: x
steps:
  - { id: size, ask: { to: [finance], form: ${form} } }`;

const FORM = '/steps/0/ask/form';

describe('a definition that asks people', () => {
  it('is accepted with defaults that fit the form', () => {
    const form = '{ type: object, properties: { size: { enum: [s, m], default: m } } }';
    expect(parseDefinition(asking(form), 'yaml', LIMITS)).toMatchObject({ ok: true, warnings: [] });
  });

  it.each([
    ['a default that does not fit', '{ properties: { size: { enum: [s, m], default: x } } }', `${FORM}/properties/size/default`],
    ['another type than object', '{ type: string }', `${FORM}/type`],
  ])('is refused if the form has %s', (_what, form, pointer) => {
    const parsed = parseDefinition(asking(form), 'yaml', LIMITS);
    expect(parsed.ok ? [] : parsed.errors).toMatchObject([{ pointer }]);
  }); // prettier-ignore

  it.each([
    ['may leave out members with a default', '{ size: m }', []],
    ['is refused if it does not fit the form', '{ size: x }', [{ pointer: '/evaluation/cases/0/answers/size/size' }]],
  ])('has an evaluation whose answer %s', (_what, answer, errors) => {
    const form =
      '{ type: object, required: [size, note], properties: { size: { enum: [s, m] }, note: { type: string, default: "" } } }';
    const evaluation = `
evaluation:
  cases: [{ name: a, input: {}, answers: { size: ${answer} }, assert: [{ type: status, value: succeeded }] }]
  gate: {}`;
    const parsed = parseDefinition(asking(form) + evaluation, 'yaml', LIMITS);
    expect(parsed.ok ? parsed.warnings : parsed.errors).toMatchObject(errors);
  });
});
