import { brokenMails } from '../../../../test/support/mail/broken-mails.js';
import { emailCuts } from './received-email.js';
import { beginReading, UnreadableEmail } from './read-email.js';
import type { ParsedEmail } from './received-email.js';

const MIB = 1024 * 1024;
const WINDOW = 64 * 1024;
const read = async (
  raw: string | Buffer,
  sender: string | null = 'ann@example.com',
  trustedRelays: string[] = [],
  maxInputBytes = MIB,
  window = WINDOW,
): Promise<ParsedEmail> => {
  const bytes = Buffer.isBuffer(raw) ? raw : Buffer.from(raw.replaceAll('\n', '\r\n'));
  const reading = await beginReading({ sender, trustedRelays, maxInputBytes, cpuMillis: 600_000 });
  for (let at = 0; at < bytes.length; at += window) await reading.feed(bytes.subarray(at, at + window));
  return (await reading.finish()).email;
};
const view = async (...given: Parameters<typeof read>) => (await read(...given)).view;

const HEAD = 'From: Ann Lee <ann@example.com>\nTo: desk@example.com\nSubject: Refund\nMessage-ID: <1@example.com>\n';
const mixed = (...parts: string[]) =>
  `${HEAD}Content-Type: multipart/mixed; boundary=b\n\n${parts.map((part) => `--b\n${part}\n`).join('')}--b--\n`;

describe('a mail, read', () => {
  it('says who wrote what to whom, and what it answers to', async () => {
    const raw = `From: =?utf-8?Q?J=C3=B6rg?= <joerg@example.com>
Reply-To: team@example.com
To: Desk <desk@example.com>, "Lee, Bob" <bob@example.com>
Cc: Friends: carl@example.com, dora@example.com;
Subject: =?utf-8?B?UsO8Y2tnYWJl?=
Date: Tue, 03 Mar 2026 10:00:00 +0100
Message-ID: <9f3@example.com>
In-Reply-To: <9f2@example.com>
References: <9f1@example.com>
 <9f2@example.com>

40 EUR, please
`;
    expect(await view(raw)).toEqual({
      from: 'joerg@example.com',
      from_name: 'Jörg',
      sender: 'ann@example.com',
      to: ['desk@example.com', 'bob@example.com'],
      cc: ['carl@example.com', 'dora@example.com'],
      reply_to: 'team@example.com',
      subject: 'Rückgabe',
      text: '40 EUR, please\n',
      html: null,
      date: '2026-03-03T09:00:00.000Z',
      message_id: '<9f3@example.com>',
      in_reply_to: '<9f2@example.com>',
      references: ['<9f1@example.com>', '<9f2@example.com>'],
      auto_submitted: false,
      bounce: false,
      spf: null,
      dkim: null,
      dmarc: null,
      attachments: [],
      truncated: false,
      replaced_characters: 0,
    });
  });

  describe('with a sender that a trusted relay has checked', () => {
    const checked = (from: string) =>
      view(
        `Authentication-Results: mx; dmarc=pass; spf=pass\n${from}To: desk@example.com\nSubject: x\n\nhi\n`,
        'ann@example.com',
        ['mx'],
      );

    it.each([
      ['two headers', 'From: attacker@evil.example\nFrom: ceo@corp.example\n'],
      ['two addresses', 'From: attacker@evil.example, ceo@corp.example\n'],
      ['a group and an address', 'From: Group: ceo@corp.example; <attacker@evil.example>\n'],
      ['comments', 'From: Pete(A wonderful \\) chap) <pete(his account)@silly.test(his host)>\n'],
      ['no header', ''],
      ['comment in brackets and an address', 'From: A <attacker(x)@evil.example>, CEO <ceo@corp.example>\n'],
      ['comment in the domain', 'From: A <attacker@(x)evil.example>, CEO <ceo@corp.example>\n'],
      ['encoded @', 'From: A <attacker%40evil.example>, ceo@corp.example\n'],
      ['quoted domain', 'From: A <attacker@"evil.example">, CEO <ceo@corp.example>\n'],
    ])('has no author and no verdict on one: %s', async (_what, from) => {
      expect(await checked(from)).toMatchObject({ from: null, from_name: '', dmarc: null, spf: 'pass' });
    });

    it.each([
      ['From: Ann <ann@example.com>\n', 'Ann'],
      ['From: "Lee, Ann <x@y.example>" <ann@example.com>\n', 'Lee, Ann <x@y.example>'],
      ['From: Lee, Ann <ann@example.com>\n', 'Lee, Ann'],
    ])('has one author: %s', async (from, name) => {
      expect(await checked(from)).toMatchObject({ from: 'ann@example.com', from_name: name, dmarc: 'pass' });
    });
  });

  it.each(['text', 'text/plain>', 'text/plain charset=utf-8', 'plain', ''])(
    'is a text if its content type is not valid: %s',
    async (type) => {
      expect(await view(`${HEAD}Content-Type: ${type}\n\nhi\n`)).toMatchObject({ text: 'hi\n', attachments: [] });
      const part = await view(mixed(`Content-Type: ${type}\n\nhi`));
      expect(part).toMatchObject({ text: 'hi', attachments: [] });
    },
  );

  it.each([
    ['text', 'data.bin', 'application/octet-stream'],
    ['', 'data', 'application/octet-stream'],
    ['pdf', 'bill.pdf', 'application/pdf'],
    ['text/csv>', 'a.csv', 'text/csv'],
  ])('has an attachment of the invalid type %j, %s, as %s', async (type, name, expected) => {
    const part = `Content-Type: ${type}\nContent-Disposition: attachment; filename="${name}"\n\nhi`;
    expect((await view(mixed(part))).attachments).toMatchObject([{ name, content_type: expected }]);
  });

  it('has text files that are shown inside it as attachments', async () => {
    const file = (type: string, name: string, text: string) =>
      `Content-Type: ${type}; name="${name}"\nContent-Disposition: inline; filename="${name}"\n\n${text}`;
    const { text, html, attachments } = await view(
      mixed('Content-Type: text/plain\n\nbody', file('text/csv', 'a.csv', 'a,b'), file('text/html', 'b.html', '<p>')),
    );
    expect({ text, html }).toEqual({ text: 'body', html: null });
    expect(attachments).toMatchObject([
      { name: 'a.csv', content_type: 'text/csv', inline: true, content: 'a,b' },
      { name: 'b.html', content_type: 'text/html', inline: true, content: '<p>' },
    ]);
    const alternative = `${HEAD}Content-Type: multipart/alternative; boundary=b\n\n--b\n${file('text/plain', 'a.txt', 'hi')}\n--b--\n`;
    expect(await view(alternative)).toMatchObject({ text: 'hi', attachments: [] });
  });

  it('says that something is missing if an inner part has no boundary', async () => {
    const part = 'Content-Type: multipart/alternative\n\n--c\nContent-Type: text/plain\n\nhi\n--c--';
    expect(await view(mixed(part))).toMatchObject({ text: '', truncated: true });
  });

  it('has a text where only HTML was sent', async () => {
    const html = '<style>p {}</style><p>Dear &auml;ll,<br>2 &lt; 3</p><table><tr><td>a</td><td>b</td></tr></table>';
    const { text, html: kept } = await view(`${HEAD}Content-Type: text/html\n\n${html}`);
    expect(text).toBe('Dear äll,\n2 < 3\n\na\tb');
    expect(kept).toBe(html);
  });

  it.each([
    ['any named character', '&Scaron; &rarr; &sum;', 'Š → ∑'],
    ['one without its semicolon', 'caf&eacute &copy 2026', 'café © 2026'],
    ['one that no text may hold', 'a&#0;b&#xD800;c', 'a\ufffdb\ufffdc'],
    ['white space around elements', 'one <b> two </b> three', 'one two three'],
    ['a lone bracket', '1 < 2 <i>and</i> 3 > 2', '1 < 2 and 3 > 2'],
    ['what is not shown', 'a<template><p>b</p></template><script>c</scr</script>d<!-- e -->f', 'adf'],
  ])('reads HTML with %s', async (_what, html, text) => {
    expect((await view(`${HEAD}Content-Type: text/html\n\n${html}`)).text).toBe(text);
  });

  it.each([
    ['ABC.123@example.com', 'ABC.123@example.com'],
    [' \n  20240101.42', '20240101.42'],
    ['<a b@example.com>', '<a b@example.com>'],
    ['(by hand) <a@example.com> <b@example.com>', '<a@example.com>'],
    [`<${'x'.repeat(900)}@example.com>`, `<${'x'.repeat(900)}@example.com>`],
  ])('has the id that is written: %.40s', async (written, id) => {
    expect((await view(`Message-ID: ${written}\nSubject: x\n\ntext`)).message_id).toBe(id);
  });

  it('with an id that no line can hold has a hash of it, whatever else the mail says', async () => {
    const ids = await Promise.all(
      [
        ['x', 'a'],
        ['x', 'b'],
        ['é', 'a'],
      ].map(([char = '', text]) => view(`Message-ID: <${char.repeat(990)}@example.com>\n\n${text}`)),
    );
    const [one, same, other] = ids.map(({ message_id: id }) => id);
    expect(one).toMatch(/^<[0-9a-f]{64}@derived\.invalid>$/);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  it.each(['', 'Message-ID:\n', 'Message-ID: <>\n'])(
    'without an id (%j) gets one from what its sender wrote, whichever relays it has passed',
    async (none) => {
      const trace =
        'Return-Path: <ann@example.com>\nDelivered-To: desk@example.com\nReceived: from a\n by b; Mon, 1 Jan 2024\n' +
        'ARC-Seal: i=1\nDKIM-Signature: v=1\nReceived-SPF: pass\nAuthentication-Results: b; spf=pass\nX-Received: by c\n';
      const mails = [`${none}Subject: x\n\na`, `${trace}${none}Subject: x\n\na`];
      const others = [`${none}Subject: x\n\nb`, `${none}Subject: y\n\na`];
      const [one, again, ...different] = await Promise.all(
        [...mails, ...others].map(async (raw) => (await view(raw)).message_id),
      );
      expect(one).toMatch(/^<[0-9a-f]{64}@derived\.invalid>$/);
      expect(again).toBe(one);
      expect(new Set([one, ...different]).size).toBe(3);
    },
  );

  it('gives small attachments with their content, large ones without, none with a path', async () => {
    const large = 'x'.repeat(emailCuts(MIB).attachment + 1);
    const attached = (type: string, name: string, content: string, encoding = '7bit') =>
      `Content-Type: ${type}\nContent-Disposition: attachment; filename="${name}"\nContent-Transfer-Encoding: ${encoding}\n\n${content}`;
    const { attachments, text, truncated } = await view(
      mixed(
        'Content-Type: text/plain\n\nsee below',
        attached('text/csv', 'orders.csv', 'a;b'),
        attached('application/pdf', '../../etc/passwd', Buffer.from([0, 255]).toString('base64'), 'base64'),
        attached('text/plain', 'log.txt', large),
      ),
    );
    expect(text.trim()).toBe('see below');
    expect(truncated).toBe(true);
    expect(attachments).toMatchObject([
      { name: 'orders.csv', content_type: 'text/csv', size: 3, encoding: 'text', content: 'a;b', inline: false },
      {
        name: 'passwd',
        content_type: 'application/pdf',
        size: 2,
        sha256: '06eb7d6a69ee19e5fbdf749018d3d2abfa04bcbd1365db312eb86dc7169389b8',
        encoding: 'base64',
        content: 'AP8=',
      },
      { name: 'log.txt', encoding: null, content: null },
    ]);
  });

  it.each([
    [64 * 1024, 7],
    [MIB, 40],
    [4 * MIB, 40],
  ])('fits into an input of %i bytes, however much is attached', async (maxInputBytes, attached) => {
    const part = (n: number) =>
      `Content-Type: text/plain; name=${n}.txt\nContent-Disposition: attachment\n\n${'"'.repeat(maxInputBytes / 10.5)}`;
    const to = Array.from({ length: 150 }, (_, n) => `${'x'.repeat(300)}${n}@example.com`).join(',\n ');
    const parts = Array.from({ length: 40 }, (_, n) => part(n));
    const mail = mixed(`\n${'ä"'.repeat(800_000)}`, ...parts).replace('To: desk@example.com', `To: ${to}`);
    const everything = await view(mail, undefined, undefined, maxInputBytes);
    expect(everything.truncated).toBe(true);
    expect(everything.attachments).toHaveLength(attached);
    const bytes = Buffer.byteLength(JSON.stringify(everything));
    expect(bytes).toBeLessThan(maxInputBytes);
    expect(bytes).toBeGreaterThan(maxInputBytes / 2);
  });
});

describe('a mail of a machine', () => {
  it.each([
    ['Auto-Submitted: auto-replied', true],
    ['Auto-Submitted: auto-generated; type=x', true],
    ['Auto-Submitted: no', false],
    ['Precedence: bulk', true],
    ['Precedence: list', true],
    ['X-Autoreply: yes', true],
    ['X-Mailer: bulk', false],
  ])('with `%s` is known as one: %s', async (header, expected) => {
    expect((await view(`${HEAD}${header}\n\nx`)).auto_submitted).toBe(expected);
  });

  it('is a bounce without a sender, or declared as a delivery report', async () => {
    const report = 'Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b--\n';
    expect((await view(`${HEAD}\nx`, '')).bounce).toBe(true);
    expect((await view(`Return-Path: <>\n${HEAD}\nx`, null)).bounce).toBe(true);
    expect((await view(`${HEAD}${report}`)).bounce).toBe(true);
    expect(await view(`Return-Path: <ann@example.com>\n${HEAD}\nx`, null)).toMatchObject({
      bounce: false,
      sender: 'ann@example.com',
    });
  });

  it('shows that it comes from here, or has been answered for an address', async () => {
    const own = await read(`${HEAD}Agent-Run: run_1\nX-Loop: <Desk@Example.com>\n\nx`);
    expect(own).toMatchObject({ isOwn: true, loopAddresses: ['desk@example.com'] });
    expect(await read(`${HEAD}\nx`)).toMatchObject({ isOwn: false, loopAddresses: [] });
  });
});

describe('SPF and DKIM', () => {
  const results = (service: string, text: string) => `Authentication-Results: ${service}; ${text}\n`;

  it('count where a trusted relay says so, and only what it says itself', async () => {
    const trusted = results(
      'mx.example.com',
      'spf=pass (mail from (a;dkim=fail) x) smtp.mailfrom=a; dkim=fail; dkim=pass; dmarc=none',
    );
    const forged = results('mx.example.com', 'spf=fail; dkim=fail');
    expect(await view(`${trusted}${forged}${HEAD}\nx`, 'a@b', ['MX.example.com'])).toMatchObject({
      spf: 'pass',
      dkim: 'pass',
      dmarc: 'none',
    });
  });

  it('are null if no relay is trusted, or no trusted relay added results', async () => {
    const header = results('mx.evil.example', 'spf=pass; dkim=pass');
    for (const trusted of [[], ['mx.example.com']]) {
      expect(await view(`${header}${HEAD}\nx`, 'a@b', trusted)).toMatchObject({ spf: null, dkim: null });
    }
  });
});

describe('broken mails', () => {
  it.each(brokenMails().map((mail) => [mail.name, mail] as const))('%s', async (_name, { raw, expected }) => {
    if (expected === 'refused') return expect(read(raw)).rejects.toThrow(UnreadableEmail);
    const { view: seen } = await read(raw);
    const json = JSON.stringify(seen);
    expect(json).not.toContain('\\u0000');
    expect(json.isWellFormed()).toBe(true);
    expect(Buffer.byteLength(json)).toBeLessThan(1024 * 1024);
    for (const line of [seen.subject, seen.from_name, seen.message_id, ...seen.to]) expect(line).not.toMatch(/[\r\n]/);
  });

  describe('without a usable charset', () => {
    const raw = (head: string, body: string) =>
      Buffer.from(`${HEAD}MIME-Version: 1.0\n${head}\n${body}`.replaceAll('\n', '\r\n'), 'latin1');
    const plain = 'Content-Type: text/plain\n';
    const MIXED = 'Content-Type: multipart/mixed; boundary=b\n';

    it.each([
      ['no charset', raw(plain, 'Gr\xfc\xdfe'), 'Grüße'],
      ['no content type', raw('', 'Gr\xfc\xdfe'), 'Grüße'],
      ['UTF-8 without a charset', raw(plain, Buffer.from('Grüße').toString('latin1')), 'Grüße'],
      ['an unknown charset', raw('Content-Type: text/plain; charset="x-unknown"\n', 'Gr\xfc\xdfe'), 'Grüße'],
      ['ASCII', raw('Content-Type: text/plain; charset=us-ascii\n', 'Gr\xfc\xdfe'), 'Grüße'],
      ['a wrong charset', raw('Content-Type: text/plain; charset=utf-8\n', 'Gr\xfc\xdfe'), 'Grüße'],
      ['windows-1252', raw('Content-Type: text/plain; charset=windows-1252\n', '5 \x80'), '5 €'],
      ['a part', raw(MIXED, '--b\nContent-Type: text/plain\n\nGr\xfc\xdfe\n--b--'), 'Grüße'],
      [
        'a part in base64',
        raw(MIXED, '--b\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\nR3L832U=\n--b--'),
        'Grüße',
      ],
    ])('decodes the text: %s', async (_what, mail, expected) => {
      expect((await view(mail)).text.trim()).toBe(expected);
    });

    it('decodes HTML as it declares', async () => {
      const html =
        '<head><meta http-equiv=3D"Content-Type" content=3D"text/html; charset=\n=3Diso-8859-2"></head>=B3 <b>';
      const mail = raw('Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n', html);
      expect((await view(mail)).text.trim()).toBe('ł');
    });

    it('counts the characters that cannot be decoded', async () => {
      const valid = 'Grüße '.repeat(40);
      const broken = Buffer.from(valid).toString('latin1') + '\xff\xfe';
      const utf8 = 'Content-Type: text/plain; charset=utf-8\n';
      expect(await view(raw(utf8, broken))).toMatchObject({ text: `${valid}\ufffd\ufffd`, replaced_characters: 2 });
      const both = `--b\n${utf8}\n${broken}\n--b\nContent-Type: text/html; charset=utf-8\n\n${broken}\n--b--`;
      const alternative = raw('Content-Type: multipart/alternative; boundary=b\n', both);
      expect(await view(alternative)).toMatchObject({ replaced_characters: 4 });
      expect(await view(raw(utf8, Buffer.from('a \ufffd').toString('latin1')))).toMatchObject({
        text: 'a \ufffd',
        replaced_characters: 0,
      });
    });

    it.each([
      ['=?utf-8?Q?Gr=FC=DFe?=', 'Grüße', 0],
      ['=?us-ascii?B?R3LDvMOfZQ==?=', 'Grüße', 0],
      ['=?iso-8859-2?Q?=B3?= =?iso-8859-2?Q?=B1?=', 'łą', 0],
      ['=?utf-8*de?Q?Gr=C3=BC=C3=9Fe?=', 'Grüße', 0],
      [`=?utf-8?Q?${'a'.repeat(120)}=FF?=`, `${'a'.repeat(120)}\ufffd`, 1],
    ])('decodes encoded words like a text: %.40s', async (word, expected, replaced) => {
      const attached = `Content-Type: text/csv\nContent-Disposition: attachment; filename="${word}"\n\na`;
      const mail = mixed(attached).replace('Ann Lee', word).replace('Subject: Refund', `Subject: ${word}`);
      expect(await view(mail)).toMatchObject({
        subject: expected,
        from_name: expected,
        attachments: [{ name: expected }],
        replaced_characters: replaced * 3,
      });
    });

    it('decodes headers of 8 bit', async () => {
      const mail = Buffer.from(
        'From: J\xf6rg <joerg@example.com>\r\nTo: desk@example.com\r\nSubject: Gr\xf6\xdfe\r\n\r\nhi',
        'latin1',
      );
      expect(await view(mail)).toMatchObject({ subject: 'Größe', from_name: 'Jörg', text: 'hi' });
      const utf8 = Buffer.from('From: Jörg <joerg@example.com>\r\nSubject: Größe\r\n\r\nhi');
      expect(await view(utf8)).toMatchObject({ subject: 'Größe', from_name: 'Jörg' });
    });

    it('keeps the text of a multipart mail without a boundary', async () => {
      const part = '--B\nContent-Type: text/plain\n\nhello there\n--B--\n';
      expect((await view(raw('Content-Type: multipart/mixed\n', part))).text.trim()).toBe('hello there');
      expect((await view(raw('Content-Type: multipart/mixed;\n type="x"\n', 'hello there'))).text.trim()).toBe(
        'hello there',
      );
    });
  });
});
