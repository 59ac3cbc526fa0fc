import type { JsonObject } from '@app/kernel';

import { KnowledgeScene } from '../../libs/knowledge/src/testing/knowledge-scene.js';
import { eventually } from '../support/eventually.js';
import { brokenMails } from '../support/mail/broken-mails.js';
import { aMailAgent } from '../support/mail/mail-agents.js';
import { Conversation, MailSender } from '../support/mail/mail-sender.js';
import { Scene } from '../support/scene.js';

const ANN = 'ann@example.com';
interface MailRun {
  id: string;
  agent: string;
  status: string;
  trigger: JsonObject;
  input: JsonObject;
}

describe('mail for an agent', () => {
  let scene: Scene;
  let sender: MailSender;
  let port: number;
  /** Default of SMTP_MAX_MESSAGE_BYTES. */
  const MAX_BYTES = 10_485_760;

  beforeAll(async () => {
    scene = await Scene.start();
    port = scene.stack.smtpPort;
    sender = new MailSender(port);
  });
  afterAll(() => scene.stop());

  const runsOf = async (agent: string): Promise<MailRun[]> => {
    const { data } = await scene.stack.client.expect<{ data: MailRun[] }>(
      'GET',
      `/v1/runs?agent=${agent}&limit=100&order=asc`,
    );
    return data;
  };
  const eventsOf = async (agent: string): Promise<{ outcome: string; reason: string | null }[]> => {
    const { data } = await scene.stack.client.expect<{ data: { outcome: string; reason: string | null }[] }>(
      'GET',
      `/v1/agents/${agent}/trigger-events?order=asc`,
    );
    return data;
  };
  const outcomesOf = async (agent: string) => (await eventsOf(agent)).map(({ outcome }) => outcome);

  it('starts a run with its trigger, its input and its attachments, and is answered 250', async () => {
    const agent = await scene.stack.client.createAgent(
      aMailAgent('Refunds@example.com', {
        map: {
          from: '${{ email.from }}',
          subject: '${{ email.subject }}',
          body: '${{ email.text }}',
          files: '${{ email.attachments }}',
          spf: '${{ email.spf }}',
        },
      }),
    );
    const sent = await sender.send({
      from: ANN,
      to: 'refunds@example.com',
      subject: 'Rückgabe',
      text: 'Order 1001\n.\n..dots\n',
      messageId: '<m1@example.com>',
      headers: { 'Authentication-Results': 'mx.example.com; spf=pass' },
      attachments: [{ filename: 'order.csv', content: 'id;total\n1;40' }],
    });
    expect(sent).toMatchObject({ code: 250 });
    const [run, ...others] = await runsOf(agent);
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      trigger: { type: 'email.received', mailbox: 'refunds@example.com', message_id: '<m1@example.com>' },
      input: {
        from: ANN,
        subject: 'Rückgabe',
        body: 'Order 1001\n.\n..dots\n',
        files: [{ name: 'order.csv', encoding: 'text', content: 'id;total\n1;40' }],
        spf: 'pass',
      },
    });
    await eventually(async () =>
      expect(await scene.stack.client.run(run?.id ?? '')).toMatchObject({ status: 'succeeded' }),
    );
  });

  it('reads what its mailbox is granted, and so do the agents that its run calls; what no mail began does not', async () => {
    const { client, databaseUrl, workspaceId } = scene.stack;
    const knowledge = await KnowledgeScene.within(databaseUrl, workspaceId);
    const { id: base } = await client.expect<{ id: string }>('POST', '/v1/knowledge-bases', { name: 'desk' });
    try {
      await knowledge.documents(base, { policy: 'Refunds are paid within five days.' });
    } finally {
      await knowledge.close();
    }
    const plan = (calls: string): JsonObject => ({
      tools: [{ name: 'helper', type: 'agent', agent: calls, scope: 'read' }],
      steps: [
        { id: 'policy', retrieve: { base: 'desk', query: 'refunds' } },
        ...(calls === 'nobody' ? [] : [{ id: 'help', tool: 'helper.run', with: {} }]),
      ],
    });
    const helper = await client.createAgent({ name: 'mail-helper', ...plan('nobody') });
    const mailboxes = ['granted@example.com', 'other@example.com'];
    const agents: string[] = [];
    for (const mailbox of mailboxes)
      agents.push(await client.createAgent(aMailAgent(mailbox, {}, plan('mail-helper'))));
    const access = { agents: [helper, ...agents], channels: ['email:granted@example.com'] };
    await client.expect('PUT', `/v1/knowledge-bases/${base}/access`, access);
    expect(await sender.send({ from: ANN, to: mailboxes.join(', '), subject: 'x', text: 'x' })).toMatchObject({
      code: 250,
    });
    const ends = async (agent: string, as: object) =>
      eventually(async () => expect(await runsOf(agent)).toMatchObject([as]));
    await ends(agents[0]!, { status: 'succeeded' });
    await ends(agents[1]!, { status: 'failed', error: { code: 'knowledge_forbidden', step: 'policy' } });
    await ends(helper, { status: 'succeeded' });
    const byApi = await client.startRun(agents[0]!);
    await eventually(async () =>
      expect(await client.run(byApi.id)).toMatchObject({ status: 'failed', error: { code: 'knowledge_forbidden' } }),
    );
  });

  it('starts one run however often it is sent, and one for each agent and mailbox', async () => {
    const first = await scene.stack.client.createAgent(aMailAgent('shared@example.com'));
    const second = await scene.stack.client.createAgent(aMailAgent('shared@example.com'));
    const third = await scene.stack.client.createAgent(aMailAgent('alone@example.com'));
    const mail = {
      from: ANN,
      to: 'shared@example.com, alone@example.com',
      subject: 'x',
      text: 'x',
      messageId: '<m2@example.com>',
    };
    const sent = await Promise.all(Array.from({ length: 6 }, () => sender.send(mail)));
    expect(sent.map(({ code }) => code)).toEqual(Array.from({ length: 6 }, () => 250));
    for (const agent of [first, second, third]) {
      expect(await runsOf(agent)).toHaveLength(1);
      expect((await outcomesOf(agent)).sort()).toEqual([...Array.from({ length: 5 }, () => 'duplicate'), 'started']);
    }
  });

  it('of a machine starts no run unless the filter speaks of it, and mail of an agent never does', async () => {
    const careful = await scene.stack.client.createAgent(aMailAgent('careful@example.com'));
    const keen = await scene.stack.client.createAgent(
      aMailAgent('keen@example.com', { filter: 'email.auto_submitted || email.bounce || true' }),
    );
    const send = (id: string, headers: Record<string, string>, from = ANN) =>
      sender.send({
        to: ['careful@example.com', 'keen@example.com'],
        envelope: { from, to: ['careful@example.com', 'keen@example.com'] },
        messageId: `<${id}@example.com>`,
        text: 'x',
        headers,
      });
    expect(await send('auto', { 'Auto-Submitted': 'auto-replied' })).toMatchObject({ code: 250 });
    expect(await send('bounce', {}, '')).toMatchObject({ code: 250 });
    expect(await send('own', { 'Agent-Run': 'run_1' })).toMatchObject({ code: 250 });
    expect(await send('loop', { 'X-Loop': 'keen@example.com' })).toMatchObject({ code: 250 });
    expect(await outcomesOf(careful)).toEqual(['filtered', 'filtered', 'filtered', 'started']);
    expect(await outcomesOf(keen)).toEqual(['started', 'started', 'filtered', 'filtered']);
  });

  it('that gives no input for the agent is bounced, and the trigger says so', async () => {
    const agent = await scene.stack.client.createAgent(
      aMailAgent(
        'strict@example.com',
        { map: { order: '${{ email.subject }}' } },
        { input: { type: 'object', required: ['order'], properties: { order: { pattern: '^[0-9]+$' } } } },
      ),
    );
    expect(await sender.send({ from: ANN, to: 'strict@example.com', subject: 'seven', text: 'x' })).toMatchObject({
      code: 554,
    });
    expect(await outcomesOf(agent)).toEqual(['refused']);
    const triggers = await scene.stack.client.expect<{ data: JsonObject[] }>('GET', `/v1/agents/${agent}/triggers`);
    expect(triggers.data).toMatchObject([{ id: 'inbox', type: 'email.received', health: 'error' }]);
    expect(await sender.send({ from: ANN, to: 'strict@example.com', subject: '7', text: 'x' })).toMatchObject({
      code: 250,
    });
    expect(await runsOf(agent)).toMatchObject([{ input: { order: '7' } }]);
  });

  it('is kept by its sender while the workspace is stopped or the agent paused, and starts its run afterwards', async () => {
    const { client } = scene.stack;
    const agent = await client.createAgent(aMailAgent('later@example.com'));
    const mail = { from: ANN, to: 'later@example.com', text: 'x', messageId: '<later@example.com>' };
    await client.expect('POST', '/v1/workspace/emergency-stop', {});
    expect(await sender.send(mail)).toMatchObject({ code: 451 });
    await client.expect('POST', '/v1/workspace/resume', {});
    await client.expect('POST', `/v1/agents/${agent}/pause`);
    expect(await sender.send(mail)).toMatchObject({ code: 451 });
    expect(await runsOf(agent)).toEqual([]);
    await client.expect('POST', `/v1/agents/${agent}/resume`);
    expect(await sender.send(mail)).toMatchObject({ code: 250 });
    expect(await runsOf(agent)).toHaveLength(1);
  });

  it('is not lost to a paused agent that shares the mailbox with another one', async () => {
    const { client } = scene.stack;
    const awake = await client.createAgent(aMailAgent('both@example.com'));
    const paused = await client.createAgent(aMailAgent('both@example.com'));
    await client.expect('POST', `/v1/agents/${paused}/pause`);
    const mail = { from: ANN, to: 'both@example.com', text: 'x', messageId: '<both@example.com>' };
    expect(await sender.send(mail)).toMatchObject({ code: 451 });
    expect(await runsOf(awake)).toHaveLength(1);
    await client.expect('POST', `/v1/agents/${paused}/resume`);
    expect(await sender.send(mail)).toMatchObject({ code: 250 });
    expect(await runsOf(awake)).toHaveLength(1);
    expect(await runsOf(paused)).toHaveLength(1);
  });

  it('for an unknown recipient is refused, one recipient at a time: nothing is relayed', async () => {
    const { client } = scene.stack;
    const archived = await client.createAgent(aMailAgent('gone@example.com'));
    await client.expect('DELETE', `/v1/agents/${archived}`);
    await client.createAgent(aMailAgent('here@example.com'));
    const talk = await Conversation.open(port);
    expect((await talk.say('EHLO test')).code).toBe(250);
    expect((await talk.say('AUTH PLAIN AGEAYg==')).code).toBe(500);
    expect((await talk.say(`MAIL FROM:<${ANN}>`)).code).toBe(250);
    expect((await talk.say('RCPT TO:<someone@elsewhere.example>')).code).toBe(550);
    expect((await talk.say('RCPT TO:<gone@example.com>')).code).toBe(550);
    expect((await talk.say('RCPT TO:<HERE@example.com>')).code).toBe(250);
    talk.close();
  });

  it('that is too large is answered 552, announced or not', async () => {
    const agent = await scene.stack.client.createAgent(aMailAgent('small@example.com'));
    const talk = await Conversation.open(port);
    await talk.say('EHLO test');
    expect((await talk.say(`MAIL FROM:<${ANN}> SIZE=${MAX_BYTES + 1}`)).code).toBe(552);
    talk.close();
    const raw = Buffer.from(`Subject: x\r\n\r\n${'x'.repeat(MAX_BYTES)}`);
    expect(await sender.sendRaw(raw, { to: 'small@example.com' })).toMatchObject({ code: 552 });
    expect(await runsOf(agent)).toEqual([]);
    expect(await outcomesOf(agent)).toEqual(['refused']);
  });

  it('of another workspace does not reach the mailbox that this one had first', async () => {
    const mine = await scene.stack.client.createAgent(aMailAgent('private@example.com'));
    await scene.stack.query("update triggers set active_since = active_since - interval '1 hour' where agent_id = $1", [
      mine,
    ]);
    await scene.stack.query(
      `with w as (insert into workspaces (id, name) values ('wsp_00000000000000000000000000', 'other') returning id),
            a as (insert into agents (id, workspace_id, name, webhook_secret_hash, production_version, latest_version)
              select 'agt_00000000000000000000000000', w.id, 'thief', '', 1, 1 from w returning id, workspace_id)
       insert into triggers (agent_id, workspace_id, id, ordinal, type, mailbox)
         select a.id, a.workspace_id, 'inbox', 1, 'email.received', 'private@example.com' from a`,
    );
    expect(await sender.send({ from: ANN, to: 'private@example.com', text: 'x' })).toMatchObject({ code: 250 });
    expect(await outcomesOf(mine)).toEqual(['started']);
    expect(
      await scene.stack.query('select from trigger_events where agent_id = $1', ['agt_00000000000000000000000000']),
    ).toEqual([]);
  });

  it('may come over STARTTLS, and in clear text from a relay that does not know it', async () => {
    const agent = await scene.stack.client.createAgent(aMailAgent('private-line@example.com'));
    const mail = { from: ANN, to: 'private-line@example.com', text: 'x' };
    expect(await new MailSender(port, { requireTLS: true }).send(mail)).toMatchObject({ code: 250 });
    expect(await new MailSender(port, { ignoreTLS: true }).send(mail)).toMatchObject({ code: 250 });
    expect(await runsOf(agent)).toHaveLength(2);
  });

  it('however broken, leaves the listener in order', async () => {
    const agent = await scene.stack.client.createAgent(aMailAgent('broken@example.com'));
    const mails = brokenMails();
    expect(mails.length).toBeGreaterThanOrEqual(30);
    for (const { name, raw, expected } of mails) {
      const { code, reply } = await sender.sendRaw(raw, { to: 'broken@example.com' });
      expect([name, code, reply]).toEqual([name, expected === 'taken' ? 250 : 554, reply]);
    }
    expect(await sender.send({ from: ANN, to: 'broken@example.com', subject: 'healthy', text: 'x' })).toMatchObject({
      code: 250,
    });
    const runs = await runsOf(agent);
    expect(runs.at(-1)).toMatchObject({ input: { subject: 'healthy' } });
    // The scene fails at its end if the API has exited meanwhile.
    expect((await fetch(`${scene.stack.baseUrl}/healthz`)).status).toBe(200);
  });
});
