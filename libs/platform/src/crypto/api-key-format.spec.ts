import fc from 'fast-check';
import { newApiKey, newWebhookSecret, parseApiKey, sha256 } from './index.js';

describe('an API key', () => {
  it.each(['live', 'test'] as const)('of kind %s says its kind and is found by its hash', (kind) => {
    const made = newApiKey(kind);
    expect(made.key).toMatch(new RegExp(`^aas_${kind}_[0-9A-Za-z]{49}$`));
    expect(parseApiKey(made.key)).toEqual({ kind, hash: made.hash });
    expect(made.hash).toEqual(sha256(made.key));
    expect(made.prefix).toBe(made.key.slice(0, 13));
    expect(made.lastFour).toBe(made.key.slice(-4));
  });

  it('is never made twice', () => {
    const keys = Array.from({ length: 500 }, () => newApiKey('live').key);
    expect(new Set(keys).size).toBe(500);
  });

  it('is refused offline after any change of one character', () => {
    const { key } = newApiKey('live');
    fc.assert(
      fc.property(fc.nat(key.length - 1), fc.constantFrom(...'0Az9_-'), (position, char) => {
        fc.pre(key[position] !== char);
        return parseApiKey(key.slice(0, position) + char + key.slice(position + 1)) === undefined;
      }),
      { numRuns: 500 },
    );
  });

  it('is refused when its kind is exchanged, when it is cut or when something surrounds it', () => {
    const { key } = newApiKey('test');
    for (const changed of [
      key.replace('test', 'live'),
      key.slice(0, -1),
      `${key} `,
      `${key}\n`,
      ` ${key}`,
      key.toUpperCase(),
      '',
    ]) {
      expect(parseApiKey(changed)).toBeUndefined();
    }
  });

  it('is none in arbitrary text', () => {
    fc.assert(fc.property(fc.string(), (text) => parseApiKey(text) === undefined));
  });
});

describe('a webhook secret', () => {
  it('is whsec_ and 32 random bytes, as Standard Webhooks writes them', () => {
    const secret = newWebhookSecret();
    expect(secret.startsWith('whsec_')).toBe(true);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    expect(newWebhookSecret()).not.toBe(secret);
  });
});
