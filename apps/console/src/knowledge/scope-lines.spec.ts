import { toggledLines } from './scope-lines.js';

describe('the lines of chosen scopes', () => {
  const options = [{ value: 'a' }, { value: 'b' }];

  it('get the option that a person chooses, once', () => {
    expect(toggledLines('', options, ['b'])).toBe('b');
    expect(toggledLines(' a \n\n', options, ['a', 'b'])).toBe(' a \nb');
  });

  it('lose the option that a person removes', () => {
    expect(toggledLines('a\nb', options, ['b'])).toBe('b');
  });

  it('keep what a person typed and what the list does not show', () => {
    expect(toggledLines('typed\na', options, [])).toBe('typed');
    expect(toggledLines('typed', options, ['a', 'typed'])).toBe('typed\na');
  });
});
