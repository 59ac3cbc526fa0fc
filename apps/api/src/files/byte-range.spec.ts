import { sentRange } from './byte-range.js';
import { contentDisposition } from './file-answer.js';

const ETAG = '"abc"';
const WHOLE = { first: 0, last: 9, isPartial: false };

describe('the range of a response', () => {
  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=3-', 3, 9],
    ['bytes=-4', 6, 9],
    ['bytes=-40', 0, 9],
    ['bytes=8-400', 8, 9],
  ])('%s of 10 bytes', (range, first, last) => {
    expect(sentRange({ range }, 10, ETAG)).toEqual({ first, last, isPartial: true });
    expect(sentRange({ range, 'if-range': ETAG }, 10, ETAG)).toEqual({ first, last, isPartial: true });
    expect(sentRange({ range, 'if-range': '"older"' }, 10, ETAG)).toEqual(WHOLE);
  });

  it.each([undefined, 'bytes=1-2,4-5', 'bytes=5-2', 'lines=1-2', 'bytes=-', 'bytes=a-b'])(
    'is the whole file for %j',
    (range) => {
      expect(sentRange({ range }, 10, ETAG)).toEqual(WHOLE);
    },
  );

  it.each(['bytes=10-', 'bytes=-0', 'bytes=99-100'])('does not exist for %s', (range) => {
    expect(() => sentRange({ range }, 10, ETAG)).toThrow(expect.objectContaining({ code: 'range_not_satisfiable' }));
  });
});

it.each([
  ['a.pdf', `attachment; filename="a.pdf"; filename*=UTF-8''a.pdf`],
  ['a"b\\c.pdf', `attachment; filename="a_b_c.pdf"; filename*=UTF-8''a%22b%5Cc.pdf`],
  [`Ü 'x'(1).pdf`, `attachment; filename="_ 'x'(1).pdf"; filename*=UTF-8''%C3%9C%20%27x%27%281%29.pdf`],
])('names the attachment %s', (name, header) => {
  expect(contentDisposition(name)).toBe(header);
});
