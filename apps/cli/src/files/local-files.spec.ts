import { distinctName } from './local-files.js';

describe('names of downloaded files', () => {
  it.each([
    ['invoice.pdf', 'invoice.pdf'],
    ['../../x', 'x'],
    ['C:\\temp\\x.txt', 'x.txt'],
    ['/etc/', 'file'],
    ['..', 'file'],
    [' ..bashrc ', 'bashrc'],
    ['a\r\nb\u202Ec\u0000.txt', 'abc.txt'],
    ['', 'file'],
  ])('contain no folders, controls and leading dots: %j', (filename, name) => {
    expect(distinctName(filename, new Set())).toBe(name);
  });

  it('are distinct, also where upper and lower case are not distinguished', () => {
    const taken = new Set<string>();
    const names = ['a.txt', 'x/a.txt', 'A.TXT', 'a-2.txt'].map((filename) => distinctName(filename, taken));
    expect(names).toEqual(['a.txt', 'a-2.txt', 'A-3.TXT', 'a-2-2.txt']);
  });

  it('fit into a file system, with their ending', () => {
    const name = distinctName(`${'ä'.repeat(250)}.pdf`, new Set());
    expect(name).toMatch(/^ä+\.pdf$/);
    expect(Buffer.byteLength(name)).toBeLessThan(240);
    expect(Buffer.byteLength(distinctName(`a.${'€'.repeat(250)}`, new Set()))).toBeLessThan(240);
  });
});
