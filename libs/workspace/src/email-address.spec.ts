import { parseEmailAddress } from './email-address.js';

describe('an e-mail address', () => {
  it('is compared without regard to case or surrounding white space', () => {
    expect(parseEmailAddress(' Ada@Example.COM ')).toBe('ada@example.com');
  });

  it('may be local to the installation', () => {
    expect(parseEmailAddress('admin@localhost')).toBe('admin@localhost');
  });

  it.each(['', 'ada', '@example.com', 'ada@', 'a b@example.com', 'a@b@c', 'ada@exa mple.com', `${'a'.repeat(65)}@b.c`])(
    '%j is none',
    (text) => {
      expect(parseEmailAddress(text)).toBeUndefined();
    },
  );
});
