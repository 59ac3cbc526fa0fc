import { refusalOfProvider } from './oauth-return.js';

describe('the code of a refused authorisation', () => {
  it('is put into words, and shown as it is if it is unknown', () => {
    expect(refusalOfProvider('invalid_request').detail).toContain('was not granted');
    expect(refusalOfProvider('odd_code').detail).toBe('The authorisation failed with the error code odd_code.');
    expect(refusalOfProvider('constructor').detail).toBe('The authorisation failed with the error code constructor.');
  });
});
