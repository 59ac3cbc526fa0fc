import { filesIn, isFileValue } from './file-value.js';

const aFile = (name: string) => ({
  file: `file_${name.padEnd(26, '0')}`,
  filename: `${name}.pdf`,
  content_type: 'application/pdf',
  bytes: 9,
});

describe('the files inside a value', () => {
  it('are found at any depth, in their order, each once', () => {
    const [a, b] = [aFile('a'), aFile('b')];
    expect(filesIn({ x: [{ y: a }, null, 'text'], z: b, again: { deep: a } })).toEqual([a, b]);
    expect(filesIn(a)).toEqual([a]);
    for (const none of [undefined, null, 'file', 7, [], {}]) expect(filesIn(none)).toEqual([]);
  });

  it('are not what only looks like one', () => {
    expect(isFileValue({ ...aFile('a'), file: 'file_../x' })).toBe(false);
    expect(isFileValue({ file: aFile('a').file })).toBe(false);
    expect(isFileValue([aFile('a')])).toBe(false);
  });
});
