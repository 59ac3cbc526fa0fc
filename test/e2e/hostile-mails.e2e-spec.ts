import { readFile } from 'node:fs/promises';

import { freePort } from '../support/free-port.js';
import { HOSTILE_MAILS, hostileMail } from '../support/mail/hostile-mails.js';
import { aMailAgent } from '../support/mail/mail-agents.js';
import { Conversation, type Delivery, MailSender } from '../support/mail/mail-sender.js';
import { type LoneScene, Scene } from '../support/scene.js';

const ANN = 'ann@example.com';
const DESK = 'desk@example.com';
const SIZE = 4_000_000;

describe('mails that cost the listener much', () => {
  let scene: LoneScene;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    scene = await Scene.alone({
      why: 'needs SMTP_LISTEN_PORT, and reads the memory of the API',
      workers: 0,
      env: { SMTP_LISTEN_PORT: String(port) },
    });
    await scene.stack.client.createAgent(aMailAgent(DESK, { map: { subject: '${{ email.subject }}' } }));
  });
  afterAll(() => scene.stop());

  const opened = async (): Promise<Conversation> => {
    const talk = await Conversation.open(port);
    for (const line of ['EHLO test', `MAIL FROM:<${ANN}>`, `RCPT TO:<${DESK}>`, 'DATA']) await talk.say(line);
    return talk;
  };
  /** Returns the peak memory of the API since its start, in MiB. */
  const peakOfApi = async (): Promise<number> => {
    const status = await readFile(`/proc/${scene.stack.api.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
  };

  it('do not delay other mails while they are read, and are accepted', async () => {
    for (const kind of HOSTILE_MAILS) {
      const talk = await opened();
      const progress = { isAnswered: false };
      const mail = Buffer.concat([hostileMail(kind, SIZE), Buffer.from('\r\n.\r\n')]);
      const delivery = talk.send(mail).finally(() => (progress.isAnswered = true));
      // A health check takes some milliseconds. If the API parsed the mail in its main process, fewer than ten checks
      // would get a response.
      const wanted = kind === 'utf-7' ? 50 : 1;
      let answers = 0;
      while (!progress.isAnswered && answers < wanted) {
        expect((await fetch(`${scene.stack.baseUrl}/healthz`)).status).toBe(200);
        answers += 1;
      }
      expect([kind, (await delivery).code]).toEqual([kind, kind === 'dots' ? expect.any(Number) : 250]);
      talk.close();
      expect([kind, answers]).toEqual([kind, wanted]);
    }
  });

  it('take little memory, however many lines of dots they have and however many arrive at once', async () => {
    const before = await peakOfApi();
    const lines = Buffer.concat([
      Buffer.from('Subject: dots\r\n\r\n'),
      Buffer.alloc(SIZE, '..\r\n'),
      Buffer.from('\r\n.\r\n'),
    ]);
    // Each mail takes two seconds of CPU time to parse.
    const talks = await Promise.all(Array.from({ length: 6 }, opened));
    const deliveries = await Promise.all(talks.map((talk) => talk.send(lines)));
    for (const { code } of deliveries) expect([250, 452]).toContain(code);
    expect(deliveries.map(({ code }) => code)).toContain(250);
    for (const talk of talks) talk.close();
    expect((await peakOfApi()) - before).toBeLessThan(260);
    expect(await new MailSender(port).send({ from: ANN, to: DESK, text: 'x' })).toMatchObject({ code: 250 });
  });

  it('reach at most 100 recipients, repeated ones included', async () => {
    const talk = await Conversation.open(port);
    for (const line of ['EHLO test', `MAIL FROM:<${ANN}>`]) await talk.say(line);
    const replies: Delivery[] = [];
    for (let n = 0; n < 150; n += 1) replies.push(await talk.say(`RCPT TO:<${DESK}>`));
    expect(replies.slice(0, 100).every(({ code }) => code === 250)).toBe(true);
    expect(replies.slice(100).every(({ code }) => code === 452)).toBe(true);
    expect(await talk.say('DATA')).toMatchObject({ code: 354 });
    expect(await talk.say('Subject: many\r\n\r\nx\r\n.')).toMatchObject({ code: 250 });
    await talk.say(`MAIL FROM:<${ANN}>`);
    expect(await talk.say(`RCPT TO:<${DESK}>`)).toMatchObject({ code: 250 });
    talk.close();
  });

  it('come over at most 50 connections of one address at the same time', async () => {
    const talks = await Promise.all(Array.from({ length: 60 }, () => Conversation.open(port)));
    const replies = await Promise.all(talks.map((talk) => talk.say('EHLO test')));
    expect(replies.filter(({ code }) => code === 250)).toHaveLength(50);
    expect(replies.filter(({ code }) => code === 'lost')).toHaveLength(10);
    for (const talk of talks) talk.close();
  });
});
