import { contentVersion, readIfMatch, readPreferredWait } from './answers.js';

describe('If-Match', () => {
  it.each([
    ['"3"', ['3']],
    [' "3" , "4"', ['3', '4']],
    ['W/"3", "4"', ['4']],
    ['W/"3"', []],
    ['""', ['']],
  ])('%s expects %j', (header, versions) => {
    expect([...(readIfMatch(header) ?? ['any'])]).toEqual(versions);
  });

  it.each([undefined, '*', ' * '])('%s expects nothing in particular', (header) => {
    expect(readIfMatch(header)).toBeUndefined();
  });

  it.each(['3', '"3', '"a"b"', '"3" "4"', '', '"\u0001"'])('%j is no list of tags', (header) => {
    expect(() => readIfMatch(header)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});

describe('Prefer', () => {
  it.each([
    ['wait=1', 1],
    ['WAIT = 60', 60],
    ['respond-async, wait="10"; foo=bar', 10],
    [['return=minimal', 'wait=5'], 5],
    ['wait=5, wait=7', 5],
  ])('%j prefers a wait of %i seconds', (header, seconds) => {
    expect(readPreferredWait(header)).toBe(seconds);
  });

  it.each([undefined, '', 'wait', 'wait=0', 'wait=61', 'wait=1.5', 'wait=-1', 'awaits=5', 'return=minimal'])(
    '%j prefers none',
    (header) => {
      expect(readPreferredWait(header)).toBeUndefined();
    },
  );
});

describe('the version of a body', () => {
  it('is the same for equal ones and another one for others', () => {
    const body = { id: 'agt_1', status: 'active' };
    expect(contentVersion({ ...body })).toBe(contentVersion(body));
    expect(contentVersion({ ...body, status: 'paused' })).not.toBe(contentVersion(body));
    expect(contentVersion('a text')).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });
});
