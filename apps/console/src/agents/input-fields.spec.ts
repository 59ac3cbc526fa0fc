import { exampleInput, inputFields, inputOf, inputOrder } from './input-fields.js';

const SCHEMA = {
  type: 'object',
  required: ['order'],
  properties: {
    order: { type: 'string', title: 'Order number', description: 'As on the invoice.' },
    amount: { type: 'number' },
    urgent: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    kind: { enum: ['full', 'part'] },
    priority: { enum: [1, 2] },
    address: { type: 'object' },
  },
};

describe('the form of an input schema', () => {
  const fields = inputFields(SCHEMA) ?? [];

  it('has a field for each property, named by its title or its name', () => {
    expect(fields.map(({ label, kind, isRequired }) => [label, kind, isRequired])).toEqual([
      ['Order number', 'text', true],
      ['Amount', 'number', false],
      ['Urgent', 'choice', false],
      ['Tags', 'texts', false],
      ['Kind', 'choice', false],
      ['Priority', 'choice', false],
      ['Address', 'json', false],
    ]);
    expect(fields[0]?.hint).toBe('As on the invoice.');
  });

  it('makes an example, without the files that a run does not need', () => {
    expect(exampleInput(fields)).toEqual({
      order: '<Order number>',
      amount: 0,
      urgent: true,
      tags: ['<Tags>'],
      kind: 'full',
      priority: 1,
      address: {},
    });
    const file = { file: {} };
    expect(exampleInput(inputFields({ required: ['a'], properties: { a: file, b: file } }) ?? [])).toEqual({
      a: { file: '<file id>' },
    });
  });

  it('names the members of a JSON value by their titles', () => {
    const line = { properties: { sku: { title: 'Article' }, note: {} } };
    const schema = {
      $defs: { line },
      properties: { lines: { items: { $ref: '#/$defs/line' } }, address: line, other: {} },
    };
    expect(inputFields(schema)?.map(({ hint }) => hint)).toEqual([
      'Members: sku (Article), note.',
      'Members: sku (Article), note.',
      undefined,
    ]);
  });

  it('begins with the required fields, and keeps the order of the definition text', () => {
    const schema = { ...SCHEMA, required: ['urgent', 'kind'] };
    const text = `name: a
input:
  type: object
  properties:
    tags: { type: array }
    # A comment
    "kind":
      enum: [full, part]
      title: Kind
    amount: { type: number }
    urgent:
      description: |
        order: no key
steps:
  - id: order
`;
    expect(inputOrder(text)).toEqual(['tags', 'kind', 'amount', 'urgent']);
    expect(inputFields(schema, inputOrder(text))?.map(({ name }) => name)).toEqual([
      'kind',
      'urgent',
      'tags',
      'amount',
      'order',
      'priority',
      'address',
    ]);
    expect(inputOrder('{"input":{"properties":{"note":{},"kind":{}}}}')).toEqual(['note', 'kind']);
    expect(inputOrder('input: { properties: { note: {} } }')).toEqual([]);
  });

  it('makes values of the types of the schema, and leaves out empty fields', () => {
    const texts = {
      order: '007',
      amount: '12.5',
      urgent: 'false',
      tags: 'a\nb\n',
      kind: 'full',
      priority: '2',
      address: '{"city":"Ulm"}',
    };
    expect(inputOf(fields, texts)).toEqual({
      order: '007',
      amount: 12.5,
      urgent: false,
      tags: ['a', 'b'],
      kind: 'full',
      priority: 2,
      address: { city: 'Ulm' },
    });
    expect(inputOf(fields, { order: '', amount: '' })).toEqual({});
  });

  it('sends what is no number as it was typed', () => {
    expect(inputOf(fields, { amount: 'a lot' })).toEqual({ amount: 'a lot' });
    expect(inputOf(fields, { amount: '9007199254740993' })).toEqual({ amount: '9007199254740993' });
  });

  it('has a field for each file and each list of files, through references too', () => {
    const schema = {
      $defs: { scan: { title: 'Scan', file: { accept: ['image/*'] } } },
      properties: {
        invoice: { title: 'Invoice', file: { max: '1MiB' } },
        scan: { $ref: '#/$defs/scan' },
        scans: { title: 'Scans', items: { $ref: '#/$defs/scan' } },
        lost: { $ref: '#/$defs/none' },
      },
    };
    const rule = { accept: ['image/*'], max: null };
    expect(inputFields(schema)).toMatchObject([
      { label: 'Invoice', kind: 'file', rule: { accept: [], max: 1024 ** 2 } },
      { label: 'Scan', kind: 'file', rule },
      { label: 'Scans', kind: 'files', rule },
      { label: 'Lost', kind: 'json' },
    ]);
    const file = { file: 'file_a', filename: 'a.pdf' };
    expect(inputOf(inputFields(schema) ?? [], { scan: JSON.stringify(file), scans: JSON.stringify([file]) })).toEqual({
      scan: file,
      scans: [file],
    });
  });

  it('is not made for an input without named properties', () => {
    expect(inputFields({ type: 'object' })).toBeUndefined();
    expect(inputFields(undefined)).toBeUndefined();
  });
});
