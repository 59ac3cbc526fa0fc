import fc from 'fast-check';
import { growthOf } from '../../../kernel/src/testing/measured-work.js';
import { scrubCredentials, scrubSecrets } from './index.js';
import { redactMembers } from './redaction.js';

describe('the scrubber', () => {
  it.each([
    ['aas_test_Zx81kQ0aVt3bN4mP5rS6', 'aas_test_[redacted]'],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_[redacted]'],
    ['Authorization: Bearer eyJhbGciOi.J9-_~+/=', 'Authorization: Bearer [redacted]'],
    ['authorization: basic dXNlcjpwYXNzd29yZA==', 'authorization: basic [redacted]'],
    ['postgres://app:hunter2@db:5432/x', 'postgres://[redacted]@db:5432/x'],
    [`key sk-${'x'.repeat(20)}`, 'key sk-[redacted]'],
    [`ghp_${'a1'.repeat(18)}`, 'ghp_[redacted]'],
    [`AKIA${'Z9'.repeat(8)}`, 'AKIA[redacted]'],
    [`xoxb-${'12'.repeat(8)}`, 'xox-[redacted]'],
  ])('turns %s into %s', (text, scrubbed) => {
    expect(scrubSecrets(text)).toBe(scrubbed);
    expect(scrubSecrets(`{"a":"${text}","b":1}`)).toBe(`{"a":"${scrubbed}","b":1}`);
  });

  it.each([
    'run_01jd7w0000e0000000000000000',
    'https://example.com/a:b@c',
    'a basic idea',
    'task-list sk-1',
    'bearer of news',
  ])('leaves %s alone', (text) => {
    expect(scrubSecrets(text)).toBe(text);
  });
});

describe('the scrubber of data', () => {
  it.each([
    ['aas_test_Zx81kQ0aVt3bN4mP5rS6', 'aas_test_[redacted]'],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_[redacted]'],
    ['Authorization: Bearer eyJhbGciOi.J9-_~+/=', 'Authorization: Bearer [redacted]'],
    ['authorization: basic dXNlcjpwYXNzd29yZA==', 'authorization: basic [redacted]'],
    ['postgres://app:hunter2@db:5432/x', 'postgres://[redacted]@db:5432/x'],
    [`key sk-ant-api03-${'x'.repeat(20)}`, 'key sk-[redacted]'],
    [`ghp_${'a1'.repeat(18)}`, 'ghp_[redacted]'],
  ])('turns %s into %s', (text, scrubbed) => {
    expect(scrubCredentials(text)).toBe(scrubbed);
  });

  it.each([
    'They need basic information about the bearer certificates.',
    'Basic workflow, Basic understanding, BASIC PROGRAMMING',
    'sk-slovakia-regional-office',
    'The bearer understanding of it; https://example.com:8080/a@b',
  ])('leaves %j alone', (text) => {
    expect(scrubCredentials(text)).toBe(text);
  });

  it('takes a text of any content in linear time', () => {
    for (const part of ['a', 'a:', '://a', 'Bearer ', 'sk-', 'x://a:']) {
      const growth = growthOf((size) => scrubCredentials(`bearer ${part.repeat(size)}`), 40_000);
      // `growth` is about 1 if the time is linear in the size of the text, and about 8 if it is quadratic.
      expect([part, growth < 4]).toEqual([part, true]);
    }
  });
});

describe('the redaction of members', () => {
  it('leaves valid JSON and everything that is not secret, whatever the values contain', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (secret, open) => {
        const record = { before: open, nested: [{ password: secret, after: open }], access_token: secret, last: open };
        expect(JSON.parse(redactMembers(JSON.stringify(record)))).toEqual(
          JSON.parse(
            JSON.stringify({
              before: open,
              nested: [{ password: '[redacted]', after: open }],
              access_token: '[redacted]',
              last: open,
            }),
          ),
        );
      }),
      { examples: [[{ 'a"}]': ['\\"', { token: 1 }] }, { password_hint: 'x', n: 'a "token": 1' }]] },
    );
  });
});
