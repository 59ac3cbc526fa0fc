import { inputLine } from './input-line.js';

describe('the line of an input', () => {
  it('names each value, the shortest first, and keeps redacted values', () => {
    expect(inputLine({ text: 'My parcel is late', order: '4711', key: '[redacted]', lines: [{ n: 1 }], a: null })).toBe(
      'a: null, order: 4711, key: [redacted], lines: [{"n":1}], text: My parcel is late',
    );
    expect(inputLine({})).toBe('');
  });

  it('has no line breaks, and ends after 200 characters', () => {
    expect(inputLine({ text: 'Dear shop,\n\n  the parcel\tis late.' })).toBe('text: Dear shop, the parcel is late.');
    const long = inputLine({ text: 'ab '.repeat(100_000), order: '1' });
    expect(long).toMatch(/^order: 1, text: ab ab .*…$/);
    expect(long).toHaveLength(201);
  });

  it('shows a file by its name', () => {
    const file = { file: `file_${'0'.repeat(26)}`, filename: 'invoice.pdf', content_type: 'application/pdf', bytes: 9 };
    expect(inputLine({ document: file })).toBe('document: invoice.pdf');
  });
});
