import { filled, filledBody, filledPath } from './described-template.js';

describe('a template', () => {
  const title = [{ plain_text: 'Hello ' }, { plain_text: 'there' }];
  const item = { id: 'a b', n: 3, path: 'docs/x y.md', properties: { Name: { title }, Tags: { x: 1 } } };
  const values = { scope: 'o/r', item };

  it('is filled with the scope and the values at pointers, where * means every member', () => {
    expect(filled('{scope}/{/path}#{/n}', values)).toBe('o/r/docs/x y.md#3');
    expect(filled('{/properties/*/title/*/plain_text}', values)).toBe('Hello there');
    expect(filledBody({ a: ['{/id}'], n: 1 }, values)).toEqual({ a: ['a b'], n: 1 });
  });

  it('is undefined if a value is missing', () => {
    expect(filled('{/none}', values)).toBeUndefined();
    expect(filled('{/properties/*/none}', values)).toBeUndefined();
    expect(filledPath('/x/{/none}', values)).toBeUndefined();
  });

  it('of a path rejects values that would leave it', () => {
    expect(filledPath('/repos/{scope}/{/path}', values)).toBe('/repos/o/r/docs/x%20y.md');
    for (const scope of ['../secret', 'a/../../b', '', 'a//b', '.']) {
      expect(filledPath('/repos/{scope}', { scope })).toBeUndefined();
    }
    expect(filledPath('/x/{scope}', { scope: '%2e%2e?q#f' })).toBe('/x/%252e%252e%3Fq%23f');
  });
});
