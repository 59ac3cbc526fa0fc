import { browserName } from './browser-name.js';

const MOZILLA = 'Mozilla/5.0';
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('the name of a browser', () => {
  it.each([
    [`${MOZILLA} (X11; Linux x86_64) ${WEBKIT} Chrome/147.0.0.0 Safari/537.36`, 'Chrome 147 on Linux'],
    [`${MOZILLA} (Windows NT 10.0) ${WEBKIT} Chrome/147.0.0.0 Safari/537.36 Edg/147.0.0.0`, 'Edge 147 on Windows'],
    [`${MOZILLA} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0`, 'Firefox 140 on Linux'],
    [
      `${MOZILLA} (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1`,
      'Safari 18 on iOS',
    ],
    ['curl/8.9.1', 'curl/8.9.1'],
    ['', 'Unknown browser'],
  ])('of %p is %p', (userAgent, name) => {
    expect(browserName(userAgent)).toBe(name);
  });
});
