import { jest } from '@jest/globals';
import fc from 'fast-check';
import { growthOf } from '../../../kernel/src/testing/measured-work.js';
import { SecretRedaction } from './secret-redaction.js';

const SECRET = 'cänary/7+x "q"\\z!*';

describe('the redaction of secrets', () => {
  const redaction = new SecretRedaction([SECRET, '90210777', 'abc']);

  it.each([
    ['as it is', SECRET],
    ['as JSON', JSON.stringify(SECRET)],
    ['as JSON with escaped slashes', JSON.stringify(SECRET).replaceAll('/', '\\/')],
    ['as JSON in ASCII', JSON.stringify(SECRET).replace('ä', '\\u00e4')],
    ['percent-encoded', encodeURIComponent(SECRET)],
    ['percent-encoded in small letters', encodeURIComponent(SECRET).toLowerCase()],
    ['percent-encoded in full', encodeURIComponent(SECRET).replace('!', '%21').replace('*', '%2A')],
    ['as a form', encodeURIComponent(SECRET).replaceAll('%20', '+')],
    ['as JSON inside of a query', encodeURIComponent(JSON.stringify(SECRET).slice(1, -1))],
    ['in Latin-1, percent-encoded', encodeURIComponent(SECRET).replace('%C3%A4', '%E4')],
    ['in UTF-8 read as Latin-1', Buffer.from(SECRET).toString('latin1')],
    ['in Latin-1 read as UTF-8', Buffer.from(SECRET, 'latin1').toString('utf8')],
    ['in base64 of its JSON', btoa(JSON.stringify(SECRET).slice(1, -1))],
    ['in base64', Buffer.from(SECRET).toString('base64')],
    ['in base64url', Buffer.from(SECRET).toString('base64url')],
    ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
    ['in hexadecimal capitals', Buffer.from(SECRET).toString('hex').toUpperCase()],
    ['in base64 twice', btoa(Buffer.from(SECRET).toString('base64')).replace(/=+$/, '')],
    ['in base64url twice', Buffer.from(Buffer.from(SECRET).toString('base64url')).toString('base64url')],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(SECRET))],
    ['in base64, percent-encoded', encodeURIComponent(Buffer.from(SECRET).toString('base64').replace(/=+$/, ''))],
    ['percent-encoded, in base64', btoa(encodeURIComponent(SECRET)).replace(/=+$/, '')],
    ['in base64 of its hexadecimal form', btoa(Buffer.from(SECRET).toString('hex')).replace(/=+$/, '')],
    ['as HTML', SECRET.replaceAll('"', '&quot;')],
    ['as HTML with numbers', SECRET.replaceAll('"', '&#34;')],
    ['as HTML of a careful template', SECRET.replaceAll('"', '&quot;').replaceAll('/', '&#x2F;')],
  ])('finds a secret %s', (_how, echoed) => {
    const redacted = redaction.text(`before ${echoed} after`);
    expect(redacted).toMatch(/^before "?\[redacted\].{0,6} after$/);
  });

  it('leaves no secret in a text, in a value or in the name of a member, wherever it stands', () => {
    const secrets = fc.string({ minLength: 8, maxLength: 60, unit: 'grapheme-ascii' });
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), (secret, before, after) => {
        fc.pre(!'[redacted]'.includes(secret));
        const mine = new SecretRedaction([secret]);
        expect(mine.text(before + secret + after)).not.toContain(secret);
        const value = { [secret]: [{ deep: before + secret }, secret] };
        expect(JSON.stringify(mine.value(value))).not.toContain(JSON.stringify(secret).slice(1, -1));
      }),
    );
  });

  it('finds a secret inside a longer text that was encoded in base64, such as basic credentials', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), fc.string({ unit: 'grapheme-ascii' }), (before, after) => {
        const mine = new SecretRedaction(['s3cr3t-p4ssw0rd!']);
        const redacted = mine.text(Buffer.from(`${before}:s3cr3t-p4ssw0rd!${after}`).toString('base64'));
        expect(redacted).toContain('[redacted]');
      }),
    );
  });

  it('finds it in a longer text that was encoded in base64 twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), fc.string({ unit: 'grapheme-ascii' }), (before, after) => {
        const once = Buffer.from(`${before}:s3cr3t-p4ssw0rd!${after}`).toString('base64');
        const redacted = new SecretRedaction(['s3cr3t-p4ssw0rd!']).text(Buffer.from(once).toString('base64'));
        expect(redacted).toContain('[redacted]');
      }),
    );
  });

  it('leaves nothing of secrets that overlap', () => {
    const mine = new SecretRedaction(['first-half', 'half-and-more']);
    expect(mine.text('a first-half-and-more b first-half half-and-more')).toBe('a [redacted] b [redacted] [redacted]');
    expect(mine.text('first-halffirst-half')).toBe('[redacted][redacted]');
  });

  it('compares no more for a hundred secrets than a text has places', () => {
    const secrets = Array.from({ length: 100 }, (_, n) => `${n}-secret/of+a "tool" ä ${n * 7_919}`);
    const mine = new SecretRedaction(secrets);
    const text = 'The quick brown fox jumps over 13 lazy dogs. '.repeat(10_000);
    const comparisons = jest.spyOn(String.prototype, 'startsWith');
    try {
      expect(mine.text(text)).toBe(text);
      expect(comparisons.mock.calls.length).toBeLessThan(text.length / 10);
    } finally {
      comparisons.mockRestore();
    }
  });

  it('takes a number for the secret that it spells', () => {
    expect(redaction.value([90210777, 7, '90210777'])).toEqual(['[redacted]', 7, '[redacted]']);
  });

  it('replaces the longer of two secrets first', () => {
    expect(new SecretRedaction(['token', 'token-2-long']).text('token-2-long token')).toBe('[redacted] [redacted]');
  });

  it('does not look for values of one to three characters', () => {
    expect(redaction.text('abc of something')).toBe('abc of something');
  });

  it('finds credentials by their form without knowing them', () => {
    const text = `got Authorization: Bearer eyJhbGciOi.J9-_~abc12 and aas_live_${'x7'.repeat(20)}`;
    expect(new SecretRedaction([]).text(text)).toBe('got Authorization: Bearer [redacted] and aas_live_[redacted]');
  });

  it('takes little for the largest secret that there can be', () => {
    const redact = (size: number) => {
      const secret = 'ä"/ '.repeat(size);
      expect(new SecretRedaction([secret]).text(`x${secret}x`)).toBe('x[redacted]x');
    };
    // `growthOf` returns about 1 for linear time and about 8 for quadratic time. The largest possible secret contains
    // this text of four characters 13 000 times, and a quarter of it shows the growth.
    expect(growthOf(redact, 13_000 / 32)).toBeLessThan(4);
  });

  it('leaves everything else as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => expect(new SecretRedaction([]).value(value as never)).toEqual(value)),
    );
  });
});
