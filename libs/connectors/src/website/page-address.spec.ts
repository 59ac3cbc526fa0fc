import { matchesPath } from '../shared/path-patterns.js';
import { isWanted, pageAddress } from './page-address.js';

describe('the address of a page', () => {
  it('is normalised to one spelling', () => {
    const one = 'https://example.com/a?x=1&y=2';
    for (const text of [
      'HTTPS://Example.com:443/a?y=2&x=1#top',
      '/a?x=1&utm_source=mail&y=2&fbclid=3',
      'https://u:p@example.com/a?x=1&y=2',
    ])
      expect(pageAddress(text, 'https://example.com/b')).toBe(one);
  });

  it('keeps the spelling of the parameters', () => {
    for (const query of ['?/topic/1', '?q=%EF%F0', '?flag', '?a=1;b=2', '?q=a+b', '?q=a%20b', '?x=2&x=1&x'])
      expect(pageAddress(`https://example.com/${query}`)).toBe(`https://example.com/${query}`);
    expect(pageAddress('https://example.com/?b&&a=')).toBe('https://example.com/?a=&b');
    expect(pageAddress('https://example.com/?')).toBe('https://example.com/');
  });

  it('is undefined unless it is a web address of at most 2,000 characters', () => {
    for (const text of [
      'mailto:a@example.com',
      'ftp://example.com',
      'http://[',
      `https://example.com/${'a'.repeat(2_000)}`,
    ])
      expect(pageAddress(text)).toBeUndefined();
  });

  it('is wanted on the hosts of its site and within the paths', () => {
    const rules = { hosts: new Set(['example.com']), includePaths: ['/docs', '/*/guide'], excludePaths: ['/docs/old'] };
    const wanted = (path: string, host = 'example.com') => isWanted(`https://${host}${path}`, rules);
    expect([wanted('/docs/a'), wanted('/en/guide/b'), wanted('/docs/a', 'www.example.com')]).toEqual([
      true,
      true,
      true,
    ]);
    expect([wanted('/blog'), wanted('/docs/old/a'), wanted('/docs/a', 'other.com')]).toEqual([false, false, false]);
  });

  it('matches a pattern with hundreds of wildcards', () => {
    expect(matchesPath(`/${'a'.repeat(100_000)}`, [`/${'*a'.repeat(300)}*b`])).toBe(false);
    expect(matchesPath('/a/b.pdf', ['*.pdf'])).toBe(true);
  });
});
