export interface BrokenMail {
  name: string;
  raw: Buffer;
  /** `taken` means that the mail reader accepts the readable part. `refused` means that the mail exceeds a limit. */
  expected: 'taken' | 'refused';
}

const HEAD = 'From: ann@example.com\r\nTo: desk@example.com\r\nSubject: broken\r\n';

const taken = (name: string, raw: string | Buffer): BrokenMail => ({ name, raw: bytes(raw), expected: 'taken' });
const refused = (name: string, raw: string | Buffer): BrokenMail => ({ name, raw: bytes(raw), expected: 'refused' });
const bytes = (raw: string | Buffer): Buffer => (typeof raw === 'string' ? Buffer.from(raw, 'latin1') : raw);
const multipart = (kind: string, boundary: string): string =>
  `Content-Type: multipart/${kind}; boundary="${boundary}"\r\n`;

/** Returns mails as broken programs and attackers send them. Together they have a size of about 40 MB. */
export function brokenMails(): BrokenMail[] {
  return [...brokenHeaders(), ...brokenParts(), ...brokenTexts(), ...bombs()];
}

function brokenHeaders(): BrokenMail[] {
  return [
    taken('nothing at all', ''),
    taken('an empty line', '\r\n'),
    taken('a header without a body', HEAD),
    taken('a body without a header', '\r\nonly text'),
    taken('lines that are no header', `this is\r\nno header\r\n${HEAD}\r\ntext`),
    taken('a header without a colon', `${HEAD}Nonsense\r\n\r\ntext`),
    taken('a header that begins with a continuation', ` folded\r\n${HEAD}\r\ntext`),
    taken('bare line feeds', `${HEAD}\r\ntext`.replaceAll('\r\n', '\n')),
    taken('bare carriage returns', `${HEAD}\r\ntext`.replaceAll('\r\n', '\r')),
    taken('NUL characters everywhere', `Sub\0ject: a\0b\r\nFrom: \0ann@example.com\r\n\r\nte\0xt\0`),
    taken('two senders, two subjects and two ids', `${HEAD}${HEAD}Message-ID: <1@a>\r\nMessage-ID: <2@a>\r\n\r\ntext`),
    taken(
      'header injection by an encoded word',
      `From: ann@example.com\r\nSubject: =?utf-8?Q?x=0D=0ABcc:_all@example.com?=\r\n\r\ntext`,
    ),
    taken('an encoded word that never ends', `From: =?utf-8?B?${'A'.repeat(2_000)}\r\nSubject: =?x?\r\n\r\ntext`),
    taken('addresses that are none', `From: <>\r\nTo: @@, <<<>>>, "unclosed, (comment\r\nCc: ;:,\r\n\r\ntext`),
    taken('groups within groups', `From: a:b:c:d@example.com;;;\r\nTo: ${'g:'.repeat(2_000)};\r\n\r\ntext`),
    taken('a message id of a hundred kilobytes', `${HEAD}Message-ID: <${'x'.repeat(100_000)}@a>\r\n\r\ntext`),
    taken('a date that never was', `${HEAD}Date: Thu, 99 Foo 999999 99:99:99 +9999\r\n\r\ntext`),
    taken('raw bytes above 127 in the header', `From: \xe4\xf6\xfc@example.com\r\nSubject: \xff\xfe\x80\r\n\r\ntext`),
  ];
}

function brokenParts(): BrokenMail[] {
  return [
    taken('a multipart without a boundary', `${HEAD}Content-Type: multipart/mixed\r\n\r\n--b\r\n\r\ntext`),
    taken('a multipart that is never opened', `${HEAD}${multipart('mixed', 'b')}\r\njust text`),
    taken('a multipart that is never closed', `${HEAD}${multipart('mixed', 'b')}\r\n--b\r\n\r\ntext`),
    taken('a multipart that is only closed', `${HEAD}${multipart('mixed', 'b')}\r\n--b--\r\n`),
    taken('an empty boundary', `${HEAD}${multipart('mixed', '')}\r\n--\r\n\r\ntext\r\n----\r\n`),
    taken('a boundary of ten kilobytes', `${HEAD}${multipart('mixed', 'b'.repeat(10_000))}\r\n--b\r\n\r\ntext`),
    taken(
      'parts with the boundary of the whole',
      `${HEAD}${multipart('mixed', 'b')}\r\n--b\r\n${multipart('mixed', 'b')}\r\n--b\r\n\r\ntext\r\n--b--\r\n`,
    ),
    taken('a content type that is none', `${HEAD}Content-Type: ;;;=\r\n\r\ntext`),
    taken(
      'parameters without an end',
      `${HEAD}Content-Type: text/plain; ${Array.from({ length: 3_000 }, (_, n) => `a*${n}*="x"`).join(';')}\r\n\r\ntext`,
    ),
    taken(
      'a file name that climbs out',
      `${HEAD}Content-Type: text/plain\r\nContent-Disposition: attachment; filename="../../etc/\0passwd"\r\n\r\nroot`,
    ),
    taken('a mail in a mail in a mail', `${HEAD}${`Content-Type: message/rfc822\r\n\r\n${HEAD}`.repeat(20)}\r\ntext`),
    taken('base64 that is none', `${HEAD}Content-Transfer-Encoding: base64\r\n\r\n!!!!====%%%%\r\n=\r\n`),
    taken('quoted-printable that is none', `${HEAD}Content-Transfer-Encoding: quoted-printable\r\n\r\n=ZZ=\r\n=4`),
    taken('an encoding that no decoder knows', `${HEAD}Content-Transfer-Encoding: x-secret\r\n\r\ntext`),
  ];
}

function brokenTexts(): BrokenMail[] {
  const plain = (charset: string) => `${HEAD}Content-Type: text/plain; charset=${charset}\r\n\r\n`;
  return [
    taken('a charset that no decoder knows', `${plain('x-klingon')}\xff\xfe`),
    taken('a charset with a path in it', `${plain('"../../etc/passwd"')}text`),
    taken('UTF-8 that is none', `${plain('utf-8')}\xc3\x28\xa0\xa1\xf0\x28\x8c\xbc`),
    taken('half a pair in UTF-16', Buffer.concat([Buffer.from(plain('utf-16le')), Buffer.from([0x3d, 0xd8, 0x41, 0])])),
    taken('ISO-2022-JP that never shifts back', `${plain('iso-2022-jp')}\x1b$B$3$s\x1b`),
    taken(
      'eight-bit rubbish',
      Buffer.concat([Buffer.from(HEAD), Buffer.from(Array.from({ length: 65_536 }, (_, n) => (n * 7) % 256))]),
    ),
    taken('lines of dots', `${HEAD}\r\n.\r\n..\r\n...\r\n. \r\n.\r\n`),
    taken('HTML that never closes', `${HEAD}Content-Type: text/html\r\n\r\n<p><a href="<b><!-- <script>`),
  ];
}

function bombs(): BrokenMail[] {
  const nested = Array.from({ length: 500 }, (_, n) => `${multipart('mixed', `b${n}`)}\r\n--b${n}\r\n`).join('');
  const html = (element: string) =>
    `${HEAD}Content-Type: text/html\r\n\r\n${element.repeat(1_000_000 / element.length)}`;
  return [
    refused('a header of a megabyte', `${HEAD}X-Long: ${'x'.repeat(1_000_000)}\r\n\r\ntext`),
    refused('a hundred thousand headers', `${HEAD}${'A: b\r\n'.repeat(100_000)}\r\ntext`),
    refused('a thousand relays', `${'Received: from a by b\r\n'.repeat(1_000)}${HEAD}\r\ntext`),
    refused('ten thousand parts', `${HEAD}${multipart('mixed', 'b')}\r\n${'--b\r\n\r\nx\r\n'.repeat(10_000)}--b--\r\n`),
    refused('five hundred multiparts in each other', `${HEAD}${nested}`),
    refused(
      'a part with a header of a megabyte',
      `${HEAD}${multipart('mixed', 'b')}\r\n--b\r\nX: ${'x'.repeat(1_000_000)}\r\n\r\ntext\r\n--b--`,
    ),
    taken('a line of five megabytes', `${HEAD}\r\n${'x'.repeat(5_000_000)}`),
    taken('half a million empty lines', `${HEAD}\r\n${'\r\n'.repeat(500_000)}`),
    taken('twenty thousand recipients', `${HEAD}Cc: ${'a@b.c,'.repeat(20_000)}\r\n\r\ntext`),
    taken('a hundred thousand open elements', html('<div>')),
    taken('comments that never end', html('<!--')),
    taken('a megabyte of ampersands', html('&')),
    taken('scripts in scripts', html('<script>')),
    taken('a table in a table in a table', html('<table><tr><td>')),
  ];
}
