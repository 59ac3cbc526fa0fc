import { consolePage } from './oidc.api.js';

describe('the page after a sign-in', () => {
  it.each(['/console/runs', '/console/runs/run_1?step=3#top', '/console/'])('is %s in the console', (page) => {
    expect(consolePage(page)).toBe(page);
  });

  it.each([
    undefined,
    '',
    '/',
    '/v1/runs',
    '/console',
    '/console/../v1/runs',
    '/console/%2e%2e/v1',
    '//example.com/console/',
    '/\\example.com',
    'https://example.com/console/',
    'console/runs',
  ])('is the start page instead of %s', (page) => {
    expect(consolePage(page)).toBe('/console/');
  });
});
