import { cleanFileName } from './file-name.js';

it.each([
  ['invoice.pdf', 'invoice.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\ada\\a b.txt', 'a b.txt'],
  ['a\r\nSet-Cookie: x.txt', 'aSet-Cookie: x.txt'],
  ['\u202egpj.exe', 'gpj.exe'],
  ['...hidden', 'hidden'],
  ['. .', 'file'],
  ['/', 'file'],
  ['', 'file'],
  ['  e\u0301.txt ', '\u00e9.txt'],
  ['\ud800.txt', '\ufffd.txt'],
  ['x'.repeat(300), 'x'.repeat(255)],
])('cleans the name %j', (given, cleaned) => {
  expect(cleanFileName(given)).toBe(cleaned);
});
