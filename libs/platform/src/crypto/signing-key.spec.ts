import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { constantTimeEqual, SigningKey } from './index.js';

describe('a signing key', () => {
  const master = randomBytes(32);
  const signing = new SigningKey([master]);

  it('signs with HMAC-SHA256 under a key derived by HKDF for the purpose', () => {
    const key = Buffer.from(hkdfSync('sha256', master, '', 'agent-automation-service:sign:cursor', 32));
    expect(signing.hmac('cursor', 'data')).toEqual(createHmac('sha256', key).update('data').digest());
  });

  it('verifies its own signatures and no others', () => {
    const mac = signing.hmac('cursor', 'data');
    expect(signing.verify('cursor', 'data', mac)).toBe(true);
    expect(signing.verify('cursor', 'date', mac)).toBe(false);
    expect(signing.verify('oauth-state', 'data', mac)).toBe(false);
    expect(signing.verify('cursor', 'data', mac.subarray(1))).toBe(false);
    expect(signing.verify('cursor', 'data', Buffer.alloc(0))).toBe(false);
    expect(new SigningKey([randomBytes(32)]).verify('cursor', 'data', mac)).toBe(false);
  });

  it('verifies what a previous key signed, and signs with the current one', () => {
    const next = randomBytes(32);
    const rotated = new SigningKey([next, master]);
    expect(rotated.verify('cursor', 'data', signing.hmac('cursor', 'data'))).toBe(true);
    expect(rotated.hmac('cursor', 'data')).toEqual(new SigningKey([next]).hmac('cursor', 'data'));
  });
});

describe('the comparison of secrets', () => {
  it('is true for equal text or bytes only, whatever the lengths', () => {
    expect(constantTimeEqual('a', 'a')).toBe(true);
    expect(constantTimeEqual('a', Buffer.from('a'))).toBe(true);
    for (const other of ['b', '', 'aa', 'A']) expect(constantTimeEqual('a', other)).toBe(false);
  });
});
