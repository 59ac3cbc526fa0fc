import { allowsRecipient, coversRecipient, isBareAddress, isRecipientPattern } from './recipients.js';

describe('the allowed recipients of a tool', () => {
  it.each(['ann@example.com', '*@example.com', '*@*.example.com', '*', '*@localhost', 'o+tag@bücher.example'])(
    'can be %s',
    (entry) => expect(isRecipientPattern(entry)).toBe(true),
  );

  it.each([
    '*@*',
    '*@*.com',
    'ann@*.example.com',
    '@example.com',
    'ann',
    '*@',
    'Ann <ann@example.com>',
    'a*@example.com@x',
    '',
  ])('cannot be %j', (entry) => expect(isRecipientPattern(entry)).toBe(false));

  it.each([
    [['ann@example.com'], 'Ann@EXAMPLE.com', true],
    [['ann@example.com'], 'bob@example.com', false],
    [['*@example.com'], 'bob@example.com', true],
    [['*@example.com'], 'bob@sub.example.com', false],
    [['*@*.example.com'], 'bob@a.sub.example.com', true],
    [['*@*.example.com'], 'bob@example.com', false],
    [['*@*.example.com'], 'bob@evil-example.com', false],
    [['*@bücher.example'], 'a@xn--bcher-kva.example', true],
    [['*'], 'a@b', true],
  ])('%j and %s: %s', (entries, address, isAllowed) => expect(allowsRecipient(entries, address)).toBe(isAllowed));

  it.each([
    'Ann <a@b.example>',
    'a@b.example,c@d.example',
    'a@b.example;',
    'g:a@b.example;',
    'a\n@b.example',
    'a@b.example\u0000',
    '"a b"@c.example',
    'a@[1.2.3.4]',
    'a@b@c',
    'a',
    '',
  ])('%j is no bare address', (address) => expect(isBareAddress(address)).toBe(false));

  it('are compared by what they allow', () => {
    expect(coversRecipient('*@*.example.com', '*@a.example.com')).toBe(true);
    expect(coversRecipient('*@example.com', '*')).toBe(false);
    expect(coversRecipient('*@*.example.com', '*@*.a.example.com')).toBe(true);
    expect(coversRecipient('*@example.com', '*@*.example.com')).toBe(false);
  });
});
