import { cliRequest, faultOf, listenerUrl } from './cli-request.js';

const WHOLE = { port: '4711', challenge: 'c'.repeat(43), state: 'a b', name: 'laptop' };

describe('the request of a command line', () => {
  it('is read from the address', () => {
    expect(cliRequest(WHOLE)).toEqual(WHOLE);
    expect(faultOf(cliRequest(WHOLE))).toBeUndefined();
  });

  it('needs no port, because the person can paste the code', () => {
    expect(faultOf(cliRequest({ ...WHOLE, port: undefined }))).toBeUndefined();
  });

  it.each([
    ['challenge', { ...WHOLE, challenge: undefined }],
    ['name', { ...WHOLE, name: undefined }],
    ['port', { ...WHOLE, port: '0' }],
    ['port', { ...WHOLE, port: '65536' }],
    ['port', { ...WHOLE, port: '80@example.com' }],
  ])('with a wrong %s is a fault', (parameter, search) => {
    expect(faultOf(cliRequest(search))).toContain(parameter);
  });

  it('is answered on this computer, with the state unchanged', () => {
    const url = new URL(listenerUrl(cliRequest(WHOLE), 'code+1'));
    expect(url.origin).toBe('http://127.0.0.1:4711');
    expect([...url.searchParams]).toEqual([
      ['code', 'code+1'],
      ['state', 'a b'],
    ]);
  });
});
