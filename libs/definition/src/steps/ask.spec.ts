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
});
