import { withoutUnnamed } from './added-members.js';

const CLOSED = { type: 'object', additionalProperties: false };
const added = () => ['file', 'status'];
const ITEM = { name: 'a.pdf', file: 'file_1', status: 'ready' };

it.each<[string, object, object]>([
  ['without the keyword', { properties: { files: { items: {} } } }, ITEM],
  ['that names none', { properties: { files: { items: { ...CLOSED, properties: { name: {} } } } } }, { name: 'a.pdf' }],
  [
    'that names one',
    { properties: { files: { items: { ...CLOSED, properties: { name: {}, file: {} } } } } },
    { name: 'a.pdf', file: 'file_1' },
  ],
  [
    'behind a reference',
    { $defs: { item: CLOSED }, properties: { files: { items: { allOf: [{ $ref: '#/$defs/item' }] } } } },
    { name: 'a.pdf' },
  ],
  ['with patterns', { properties: { files: { items: { ...CLOSED, patternProperties: { '^f': {} } } } } }, ITEM],
])('leaves out added members that are not named in a schema %s', (_what, schema, item) => {
  const value = { files: [ITEM], other: [ITEM] };
  expect(withoutUnnamed({ ...schema }, value, added)).toEqual({ files: [item], other: [ITEM] });
});

it('leaves out no other member, so that the sender learns of it', () => {
  const schema = { properties: { files: { items: CLOSED } } };
  expect(withoutUnnamed(schema, { files: [{ nme: 1 }] }, () => [])).toEqual({ files: [{ nme: 1 }] });
});
