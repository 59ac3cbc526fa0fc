import { compileDefinition } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import { eventually } from '../../../../test/support/eventually.js';
import { MailServer } from '../../../../test/support/mail-server.js';
import { ToolBench } from '../testing/tool-bench.js';
import type { ToolCall, ToolCallResult } from '../calls/tool-call.js';

const NOTIFY = { name: 'notify', type: 'email', to: ['ops@example.com', 'Boss@Example.com'] };
const MAIL = { subject: 'Grüße', text: 'Line one\n.\nLine three' };

describe('a mail of an agent', () => {
  let server: MailServer;
  let bench: ToolBench;

  beforeAll(async () => {
    server = await MailServer.start(new Map([['relay user', 'p@ss:word']]));
    bench = await ToolBench.start({ SMTP_RELAY_URL: server.url, MAIL_FROM: 'agents@acme.example' });
  });

  afterAll(async () => {
    await bench.close();
    await server.close();
  });

  beforeEach(() => server.reset());

  const send = (
    request: JsonObject,
    more: Partial<ToolCall> = {},
    tools: JsonObject[] = [NOTIFY],
  ): Promise<ToolCallResult> => bench.call(tools, 'notify.send', request, more);

  it('goes to all recipients of the tool, with text and html, from the address of the installation', async () => {
    const result = await send({ ...MAIL, html: '<p>hi</p>' });
    expect(result).toMatchObject({ kind: 'answered', output: { accepted: NOTIFY.to, rejected: [] } });
    expect(server.mails).toHaveLength(1);
    const [mail] = server.mails;
    expect(mail).toMatchObject({
      from: 'agents@acme.example',
      to: NOTIFY.to,
      headers: { to: 'ops@example.com, Boss@example.com', 'auto-submitted': 'auto-generated', 'agent-run': 'run_1' },
    });
    expect(mail?.raw).toContain('multipart/alternative');
    // The lines stay separate. The relay removes the dot that SMTP adds before a leading dot (RFC 5321, section 4.5.2).
    expect(mail?.raw).toMatch(/Line one\r\n\.\r\nLine three/);
  });

  it('goes to those of them whom the call names, with copies', async () => {
    await send({ ...MAIL, to: 'ops@example.com', cc: ['boss@example.com'] });
    expect(server.mails[0]).toMatchObject({
      to: ['ops@example.com', 'boss@example.com'],
      headers: { to: 'ops@example.com', cc: 'boss@example.com' },
    });
  });

  it('goes to no other address, not as a copy either', async () => {
    const requests: JsonObject[] = [
      { to: 'eve@evil.example' },
      { cc: 'eve@evil.example' },
      { to: ['ops@example.com', 'eve@evil.example'] },
    ];
    for (const request of requests) {
      expect(await send({ ...MAIL, ...request })).toMatchObject({ kind: 'refused', permanent: true });
    }
    expect(server.messages).toBe(0);
  });

  it('cannot smuggle a header in: the schema refuses it, and what comes past the schema is not sent', async () => {
    const { operations } = compileDefinition({ name: 'a', tools: [NOTIFY], steps: [] });
    const schema = operations.get('notify.send')?.request;
    for (const subject of ['a\nBcc: eve@evil.example', 'a\r\nBcc: eve@evil.example']) {
      expect(schema?.validate({ ...MAIL, subject })).not.toEqual([]);
      expect(await send({ ...MAIL, subject })).toMatchObject({ kind: 'refused', code: 'tool_error' });
    }
    for (const to of ['ops@example.com\nBcc: eve@evil.example', 'ops@example.com, eve@evil.example']) {
      expect(schema?.validate({ ...MAIL, to })).not.toEqual([]);
      expect(await send({ ...MAIL, to })).toMatchObject({ kind: 'refused' });
    }
    expect(server.messages).toBe(0);
  });

  it('has an id of its own that stays the same for every try of the call', async () => {
    await send(MAIL);
    await send(MAIL);
    await send(MAIL, { idempotencyKey: 'run_2/s' });
    const [first, second, other] = server.mails.map((mail) => mail.headers['message-id']);
    expect(first).toMatch(/^<[0-9a-f]{40}@acme\.example>$/);
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  it('goes to the admins of the workspace where the definition has no such tool', async () => {
    await send(MAIL, {}, []);
    expect(server.mails[0]?.to).toEqual(['ada@example.com']);
    expect(await send({ ...MAIL, to: 'ops@example.com' }, {}, [])).toMatchObject({ kind: 'refused' });
  });

  it('says whom the relay has no mailbox for', async () => {
    server.unknown.add('ops@example.com');
    expect(await send(MAIL)).toMatchObject({
      kind: 'answered',
      output: { accepted: ['Boss@Example.com'], rejected: ['ops@example.com'] },
    });
    server.unknown.add('Boss@Example.com');
    expect(await send(MAIL)).toMatchObject({ kind: 'refused', permanent: true, detail: { smtp_status: 550 } });
  });

  it('has certainly not been sent when the relay refuses it, also after it has seen it', async () => {
    server.behaviour = { refuse: 554 };
    expect(await send(MAIL)).toMatchObject({ kind: 'refused', permanent: true, detail: { smtp_status: 554 } });
    server.behaviour = { refuse: 451 };
    expect(await send(MAIL)).toMatchObject({ kind: 'refused', permanent: false });
    expect(server.messages).toBe(2);
  });

  it.each(['hang-after-data', 'cut-after-data'] as const)(
    'may have been sent when the relay does this: %s',
    async (behaviour) => {
      server.behaviour = behaviour;
      expect(await send(MAIL, { timeoutMs: 1_000 })).toMatchObject({ kind: 'unknown' });
      expect(server.messages).toBe(1);
    },
  );

  it('may have been sent when its run is cancelled while the relay thinks', async () => {
    server.behaviour = 'hang-after-data';
    const cancel = new AbortController();
    const sending = send(MAIL, { signal: cancel.signal });
    await eventually(() => expect(server.messages).toBe(1));
    cancel.abort('cancelled');
    expect(await sending).toMatchObject({ kind: 'unknown' });
  });

  it('has certainly not been sent to a relay that says nothing, or that is not there', async () => {
    server.behaviour = 'hang-at-greeting';
    expect(await send(MAIL, { timeoutMs: 500 })).toMatchObject({ kind: 'refused', code: 'timeout', unanswered: true });
    const gone = await MailServer.start();
    const { url } = gone;
    await gone.close();
    const other = await ToolBench.start({ SMTP_RELAY_URL: url });
    expect(await other.call([NOTIFY], 'notify.send', MAIL)).toMatchObject({ kind: 'refused', unanswered: true });
    await other.close();
  });

  it('is held back when permission lapses before the relay waits for it', async () => {
    expect(await send(MAIL, { mayStart: () => false })).toEqual({ kind: 'not_started' });
    expect(server.messages).toBe(0);
  });

  it('is refused with a remedy by an installation without a relay', async () => {
    const other = await ToolBench.start({});
    expect(await other.call([NOTIFY], 'notify.send', MAIL)).toMatchObject({
      kind: 'refused',
      permanent: true,
      message: expect.stringContaining('SMTP_RELAY_URL'),
    });
    await other.close();
  });

  describe('whose recipients are computed', () => {
    const COMPUTED = {
      name: 'notify',
      type: 'email',
      to: '${{ request.to }}',
      allowed_recipients: ['ann@example.com', '*@acme.example', '*@*.partner.example'],
    };
    const toComputed = (request: JsonObject): Promise<ToolCallResult> => send({ ...MAIL, ...request }, {}, [COMPUTED]);

    it.each([
      ['ann@example.com'],
      ['ANN@Example.com'],
      ['anyone@acme.example'],
      [['x@acme.example', 'y@eu.partner.example']],
    ])('goes to %j, which the tool allows', async (to) => {
      expect(await toComputed({ to })).toMatchObject({ kind: 'answered' });
      expect(server.mails[0]?.to).toEqual([to].flat());
    });

    it('goes to the recipients that are not null', async () => {
      const listed = { ...COMPUTED, to: ['${{ request.to }}', '${{ request.?second }}'] };
      const toListed = (request: JsonObject): Promise<ToolCallResult> => send({ ...MAIL, ...request }, {}, [listed]);
      expect(await toListed({ to: 'ann@example.com', second: null })).toMatchObject({ kind: 'answered' });
      expect(server.mails[0]?.to).toEqual(['ann@example.com']);
      expect(await toListed({ to: null })).toMatchObject({ kind: 'refused', permanent: true });
    });

    it.each<[JsonObject]>([
      [{ to: 'bob@example.com' }],
      [{ to: 'x@sub.acme.example' }],
      [{ to: 'x@partner.example' }],
      [{ to: 'x@evilpartner.example' }],
      [{ to: ['ann@example.com', 'eve@evil.example'] }],
      [{ to: 'ann@example.com', cc: 'eve@evil.example' }],
    ])('is denied as a whole for %j', async (request) => {
      expect(await toComputed(request)).toMatchObject({ kind: 'refused', code: 'tool_denied', permanent: true });
      expect(server.messages).toBe(0);
    });

    it.each<[JsonObject]>([
      [{ to: 'Ann <ann@example.com>' }],
      [{ to: 'ann@example.com, eve@evil.example' }],
      [{ to: 'ann@example.com\r\nBcc: eve@evil.example' }],
      [{ to: 'group:ann@example.com;' }],
      [{ to: [] }],
      [{ to: { address: 'ann@example.com' } }],
      [{ to: 'ann@example.com', reply_to: 'Eve <eve@evil.example>' }],
      [{ to: 'ann@example.com', in_reply_to: '<a@b>\r\nBcc: eve@evil.example' }],
      [{ to: 'ann@example.com', subject: 'a\u0007b' }],
      [{}],
    ])('is an error for %j, and nothing is sent', async (request) => {
      expect(await toComputed(request)).toMatchObject({ kind: 'refused', code: 'tool_error', permanent: true });
      expect(server.messages).toBe(0);
    });

    it('continues a conversation, with files', async () => {
      const files: JsonObject[] = [
        { base64: Buffer.from('%PDF-1.7').toString('base64'), filename: 'größe.pdf', content_type: 'application/pdf' },
        { text: 'a;b' },
        { name: 'in.csv', content_type: 'text/csv', size: 3, encoding: 'text', content: 'c;d' },
      ];
      const reply = { reply_to: 'desk@acme.example', in_reply_to: '<2@b>', references: ['<1@b>', '<2@b>'] };
      expect(await toComputed({ to: 'ann@example.com', ...reply, attachments: files })).toMatchObject({
        kind: 'answered',
      });
      const [mail] = server.mails;
      expect(mail?.headers).toMatchObject({
        'reply-to': 'desk@acme.example',
        'in-reply-to': '<2@b>',
        references: '<1@b> <2@b>',
      });
      expect(mail?.raw).toContain(Buffer.from('%PDF-1.7').toString('base64'));
      expect(mail?.raw).toMatch(/filename="?in\.csv/);
    });

    it('is not sent with attachments beyond the limit of the installation, or with a broken file', async () => {
      const large = { base64: Buffer.alloc(6 * 1024 * 1024).toString('base64') };
      for (const attachments of [[large, large], [{ base64: '%%%' }], [{}], [{ text: 'a', filename: 'a\nb' }]])
        expect(await toComputed({ to: 'ann@example.com', attachments })).toMatchObject({ code: 'tool_error' });
      expect(server.messages).toBe(0);
    });
  });
});
