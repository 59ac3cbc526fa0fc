import type { JsonValue } from '@app/kernel';
import { valueAt } from './json-page.js';

describe('a JSON Pointer', () => {
  const root: JsonValue = { a: [{ 'b/c': 1 }, { '~': 2 }], '': 3 };

  it.each([
    ['', root],
    ['/a/0/b~1c', 1],
    ['/a/1/~0', 2],
    ['/', 3],
    ['/a/2', undefined],
    ['/a/01', undefined],
    ['/a/length', undefined],
    ['/constructor', undefined],
  ])('%j', (pointer, expected) => {
    expect(valueAt(root, pointer)).toEqual(expected);
  });
});
