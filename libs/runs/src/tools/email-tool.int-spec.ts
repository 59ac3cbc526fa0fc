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
    // The relay receives separate lines, and the leading dot is unescaped (RFC 5321, section 4.5.2).
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

  it('cannot smuggle a header in: the schema refuses it, and what comes past the schema stays inside its header', async () => {
    const { operations } = compileDefinition({ name: 'a', tools: [NOTIFY], steps: [] });
    const schema = operations.get('notify.send')?.request;
    for (const subject of ['a\nBcc: eve@evil.example', 'a\r\nBcc: eve@evil.example']) {
      expect(schema?.validate({ ...MAIL, subject })).not.toEqual([]);
      await send({ ...MAIL, subject });
    }
    for (const to of ['ops@example.com\nBcc: eve@evil.example', 'ops@example.com, eve@evil.example']) {
      expect(schema?.validate({ ...MAIL, to })).not.toEqual([]);
      expect(await send({ ...MAIL, to })).toMatchObject({ kind: 'refused' });
    }
    expect(server.mails).toHaveLength(2);
    for (const mail of server.mails) {
      expect(mail.to).toEqual(NOTIFY.to);
      expect(mail.headers).not.toHaveProperty('bcc');
    }
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
});
