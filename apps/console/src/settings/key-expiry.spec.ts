import { expiryState } from './key-expiry.js';

const NOW = Date.parse('2026-01-31T08:00:00.000Z');

it.each([
  [null, 'never'],
  ['2026-03-01T08:00:00.000Z', 'later'],
  ['2026-02-14T07:59:59.000Z', 'soon'],
  ['2026-01-31T08:00:00.000Z', 'expired'],
])('the expiry %s is %s', (expiresAt, state) => {
  expect(expiryState(expiresAt, NOW)).toBe(state);
});
