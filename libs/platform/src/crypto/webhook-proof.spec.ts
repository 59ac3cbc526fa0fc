import { isSignedBy } from './index.js';

const AT = new Date(1_614_265_330_000);

describe('the signature of a webhook', () => {
  // The secret of the example in GitHub's documentation, in base64.
  const githubSecret = Buffer.from('SXQncyBhIFNlY3JldCB0byBFdmVyeWJvZHk=', 'base64').toString();

  it('is that of GitHub', () => {
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    const body = 'Hello, World!';
    expect(isSignedBy(githubSecret, body, { scheme: 'hub', signature }, AT)).toBe(true);
    expect(isSignedBy(githubSecret, body, { scheme: 'hub', signature: signature.toUpperCase() }, AT)).toBe(true);
    expect(isSignedBy('another', body, { scheme: 'hub', signature }, AT)).toBe(false);
    expect(isSignedBy(githubSecret, '!', { scheme: 'hub', signature }, AT)).toBe(false);
  });

  // The example in the tests of the Standard Webhooks libraries.
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const body = '{"test": 2432232314}';
  const given = {
    scheme: 'standard',
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: '1614265330',
    signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  } as const;

  it('is that of Standard Webhooks, one of several included', () => {
    expect(isSignedBy(secret, body, given, AT)).toBe(true);
    expect(isSignedBy(secret, body, { ...given, signature: `v1,bm9wZQ== ${given.signature}` }, AT)).toBe(true);
    expect(isSignedBy(secret, body, { ...given, signature: 'v1,bm9wZQ==' }, AT)).toBe(false);
    expect(isSignedBy(secret, body, { ...given, id: 'msg_other' }, AT)).toBe(false);
  });

  it('is worth nothing after five minutes, or without a time', () => {
    expect(isSignedBy(secret, body, given, new Date(AT.getTime() + 299_000))).toBe(true);
    expect(isSignedBy(secret, body, given, new Date(AT.getTime() + 301_000))).toBe(false);
    expect(isSignedBy(secret, body, given, new Date(AT.getTime() - 301_000))).toBe(false);
    expect(isSignedBy(secret, body, { ...given, timestamp: 'now' }, AT)).toBe(false);
  });
});
