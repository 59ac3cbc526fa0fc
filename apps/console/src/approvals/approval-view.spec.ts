import { fieldText, fieldValue, requestChanges, shownAs, shownBeside, shownText } from './approval-view.js';

describe('the fields of a request', () => {
  it.each([
    ['a text', 'Ada', 'Ada'],
    ['a number', 900, '900'],
    ['a list of texts', ['a', 'b'], 'a\nb'],
    ['an object', { a: 1 }, '{\n  "a": 1\n}'],
    ['nothing', null, 'null'],
  ])('show %s, and read it back', (_kind, value, text) => {
    expect(fieldText(value)).toBe(text);
    expect(fieldValue(text, value)).toEqual(value);
  });

  it('keep a text that looks like a number a text, and send what is no number as it was typed', () => {
    expect(fieldValue('007', '006')).toBe('007');
    expect(fieldValue('a lot', 900)).toBe('a lot');
  });
});

describe('a file in a request', () => {
  const scan = { file: `file_${'0'.repeat(26)}`, filename: 'scan.pdf', content_type: 'application/pdf', bytes: 2_048 };

  it('is shown by its name and size', () => {
    expect(shownText(scan)).toBe('scan.pdf (2.0 KiB)');
    expect(shownText([scan, scan])).toBe('scan.pdf (2.0 KiB), scan.pdf (2.0 KiB)');
    expect(shownText([])).toBe('[]');
    expect(shownText('scan.pdf')).toBe('scan.pdf');
  });

  it('is read back, and can be removed', () => {
    expect(fieldValue(fieldText(scan), scan)).toEqual(scan);
    expect(fieldValue('', scan)).toBeUndefined();
    expect(fieldValue('', [scan])).toEqual([]);
  });
});

describe('the values that are shown to approvers', () => {
  const show = { 'request.amount': 900, 'request.items.size()': 2, 'steps.order.output.total': 900 };

  it('are each shown once, at the field of the request with the same value', () => {
    const request = { amount: 900, items: ['a', 'b'] };
    expect(shownAs(show, 'amount', request.amount)).toEqual(['steps.order.output.total']);
    expect(shownAs(show, 'items', request.items)).toEqual([]);
    expect(shownBeside({ request, show })).toEqual([['request.items.size()', 2]]);
  });

  it('are all shown apart if there is no request', () => {
    expect(shownBeside({ request: null, show })).toEqual(Object.entries(show));
  });
});

describe('a changed request', () => {
  it('lists the members that differ', () => {
    expect(requestChanges({ id: '7', amount: 900 }, { id: '7', amount: 500, note: 'x' })).toEqual([
      { name: 'amount', before: 900, after: 500 },
      { name: 'note', before: undefined, after: 'x' },
    ]);
  });
});
