import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { aMailAgent } from '../support/mail/mail-agents.js';
import { Conversation, MailSender } from '../support/mail/mail-sender.js';
import { type LoneScene, Scene } from '../support/scene.js';

const ANN = 'ann@example.com';

describe('the mail listener, speaking LMTP', () => {
  let scene: LoneScene;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    const env = { SMTP_LISTEN_PORT: String(port), SMTP_LISTEN_PROTOCOL: 'lmtp' };
    scene = await Scene.alone({ why: 'stops the API', workers: 0, env });
  });
  afterAll(() => scene.stop());

  it('answers for each recipient by itself', async () => {
    const { client } = scene.stack;
    await client.createAgent(aMailAgent('one@example.com'));
    const paused = await client.createAgent(aMailAgent('two@example.com'));
    await client.createAgent(aMailAgent('three@example.com', { filter: 'email.attachments[0].filename == "x"' }));
    const talk = await Conversation.open(port);
    expect((await talk.say('EHLO test')).code).toBe(500);
    await talk.say('LHLO test');
    await talk.say(`MAIL FROM:<${ANN}>`);
    for (const name of ['one', 'two', 'three'])
      expect((await talk.say(`RCPT TO:<${name}@example.com>`)).code).toBe(250);
    // The mailbox has accepted the recipient at RCPT. The agent is paused before DATA.
    await client.expect('POST', `/v1/agents/${paused}/pause`);
    await talk.say('DATA');
    const replies = [await talk.say('Subject: x\r\n\r\nx\r\n.'), await talk.hear(), await talk.hear()];
    expect(replies.map(({ code }) => code)).toEqual([250, 451, 554]);
    talk.close();
    expect(
      await new MailSender(port, { lmtp: true }).send({ from: ANN, to: 'one@example.com', text: 'x' }),
    ).toMatchObject({ code: 250 });
  });

  it('completes a mail in transfer when the api shuts down, and accepts no other', async () => {
    const agent = await scene.stack.client.createAgent(aMailAgent('last@example.com'));
    const idle = await Conversation.open(port);
    const talk = await Conversation.open(port);
    for (const line of ['LHLO test', `MAIL FROM:<${ANN}>`, 'RCPT TO:<last@example.com>']) await talk.say(line);
    expect(await talk.say('DATA')).toMatchObject({ code: 354 });
    const stopped = scene.stack.api.stop();
    expect(await idle.hear()).toMatchObject({ code: 421 });
    await eventually(async () =>
      expect(await new MailSender(port, { lmtp: true }).send({ from: ANN, to: 'last@example.com' })).toMatchObject({
        code: 'lost',
      }),
    );
    expect(await talk.say('Message-ID: <last@example.com>\r\n\r\nx\r\n.')).toMatchObject({ code: 250 });
    talk.close();
    await stopped;
    expect(scene.stack.api.exit).toBe('exit 0');
    expect(await scene.stack.query('select trigger from runs where agent_id = $1', [agent])).toMatchObject([
      { trigger: { message_id: '<last@example.com>' } },
    ]);
  });
});
