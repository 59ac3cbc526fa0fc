import { parseEmailAddress, unknownMember } from './email-address.js';

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

describe('the error about an unknown member', () => {
  it('names the address and says how to add the person', () => {
    expect(unknownMember('eve@example.com')).toBe(
      'There is no member "eve@example.com". Add the person with `aas members add` or POST /v1/members.',
    );
  });

  it('shows at most 320 characters of the address', () => {
    expect(unknownMember('e'.repeat(10_000)).length).toBeLessThan(500);
  });
});
