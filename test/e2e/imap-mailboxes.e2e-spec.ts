import { createHash, randomBytes } from 'node:crypto';
import type { JsonObject } from '@app/kernel';

import { eventually } from '../support/eventually.js';
import { ImapServer } from '../support/mail/imap-server.js';
import { aMailAgent } from '../support/mail/mail-agents.js';
import { Scene } from '../support/scene.js';

const ADDRESS = 'watched@example.com';

describe('a mailbox on an IMAP server', () => {
  let scene: Scene;
  let server: ImapServer;
  let agent: string;

  beforeAll(async () => {
    server = await ImapServer.start('desk', 'pass-word');
    server.append(mail('old'), new Date(Date.now() - 86_400_000));
    scene = await Scene.start();
    await putSecret('IMAP_PASSWORD', 'pass-word');
    agent = await scene.stack.client.createAgent(aMailAgent(ADDRESS, { imap: account() }));
  });
  afterAll(async () => {
    await scene.stop();
    await server.close();
  });

  const putSecret = async (name: string, value: string): Promise<void> => {
    const answer = await fetch(`${scene.stack.baseUrl}/v1/secrets/${name}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${scene.stack.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ value }),
    });
    expect(answer.ok).toBe(true);
  };
  const account = (change: JsonObject = {}): JsonObject => ({
    host: 'localhost',
    port: server.port,
    user: 'desk',
    password: '${{ secrets.IMAP_PASSWORD }}',
    ...change,
  });
  const messages = async (): Promise<string[]> => {
    const text = `select trigger ->> 'message_id' as id from runs where agent_id = $1 and trigger ->> 'mailbox' = $2 order by id`;
    return (await scene.stack.query<{ id: string }>(text, [agent, ADDRESS])).map(({ id }) => id);
  };
  const seen = (...ids: string[]) =>
    eventually(async () => expect(await messages()).toEqual(ids.map((id) => `<${id}@example.com>`)));
  const health = async (id: string): Promise<JsonObject | undefined> =>
    (await scene.stack.client.expect<{ data: JsonObject[] }>('GET', `/v1/agents/${id}/triggers`)).data[0];

  it('starts a run for each mail that comes after the trigger, at once', async () => {
    await eventually(() => expect(server.idling).toBe(1));
    server.append(mail('m1'));
    await seen('m1');
    server.append(mail('m2'));
    await seen('m1', 'm2');
    expect(await health(agent)).toMatchObject({ health: 'ok', last_error: null });
  });

  it('loses none and repeats none when the connection breaks and when the server renumbers its mails', async () => {
    server.drop();
    server.append(mail('m3'));
    await seen('m1', 'm2', 'm3');
    server.renumber();
    server.append(mail('m4'));
    await seen('m1', 'm2', 'm3', 'm4');
  });

  it('is watched by one worker of a fleet, and by another one when that is killed', async () => {
    const [first] = scene.stack.workers;
    await scene.stack.addWorker();
    await eventually(() => expect(server.idling).toBe(1));
    expect(server.connections).toBe(1);
    await first?.kill();
    server.append(mail('m5'));
    await seen('m1', 'm2', 'm3', 'm4', 'm5');
  });

  it('is left alone while the agent is paused, and its mails start their runs afterwards', async () => {
    await scene.stack.client.expect('POST', `/v1/agents/${agent}/pause`);
    await eventually(() => expect(server.connections).toBe(0));
    server.append(mail('m6'));
    await scene.stack.client.expect('POST', `/v1/agents/${agent}/resume`);
    await seen('m1', 'm2', 'm3', 'm4', 'm5', 'm6');
  });

  it('is retried soon, however often it has failed: a server that comes back, and a password that is corrected', async () => {
    const { client } = scene.stack;
    await putSecret('LATE_PASSWORD', 'wrong');
    const late = await client.createAgent(
      aMailAgent('late@example.com', { imap: account({ password: '${{ secrets.LATE_PASSWORD }}' }) }),
    );
    const watch = async () =>
      (
        await scene.stack.query<{ failures: number; wait: number }>(
          `select failures, extract(epoch from due_at - clock_timestamp())::float8 as wait from mailbox_watches where agent_id = $1`,
          [late],
        )
      )[0];
    const failsAgain = async (): Promise<void> => {
      await scene.stack.query(`update mailbox_watches set failures = 100 where agent_id = $1`, [late]);
      await eventually(async () => expect((await watch())?.failures).toBeGreaterThan(100));
      expect((await watch())?.wait).toBeLessThanOrEqual(8);
    };
    await failsAgain();
    const watchers = server.idling;
    await putSecret('LATE_PASSWORD', 'pass-word');
    await eventually(() => expect(server.idling).toBe(watchers + 1));
    await eventually(async () => expect(await health(late)).toMatchObject({ last_error: null }));
    server.refusal = 'down for maintenance';
    server.drop();
    await failsAgain();
    server.refusal = undefined;
    await eventually(() => expect(server.idling).toBe(watchers + 1));
  });

  it('that cannot be reached says why, and addresses that the operator did not allow are refused', async () => {
    const wrong = await scene.stack.client.createAgent(
      aMailAgent('wrong@example.com', { imap: account({ user: 'else' }) }),
    );
    const inside = await scene.stack.client.createAgent(
      aMailAgent('inside@example.com', { imap: account({ host: '127.0.0.2' }) }),
    );
    await eventually(async () => {
      expect(await health(wrong)).toMatchObject({
        health: 'error',
        last_error: expect.stringContaining('rejected the login'),
      });
      expect(await health(inside)).toMatchObject({
        health: 'error',
        last_error: expect.stringContaining('EGRESS_ALLOW'),
      });
    });
  });

  it('gives the run files of its own for the attachments, read in parts', async () => {
    const to = 'files@example.com';
    const map = { files: '${{ email.attachments }}' };
    const watchers = server.idling;
    const filed = await scene.stack.client.createAgent(aMailAgent(to, { imap: account(), map }));
    await eventually(() => expect(server.idling).toBe(watchers + 1));
    const content = randomBytes(1_500_000);
    const head = `From: ann@example.com\nTo: ${to}\nSubject: x\nMessage-ID: <filed@example.com>\n`;
    const part = `Content-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\n\n${base64Lines(content)}`;
    server.append(`${head}Content-Type: multipart/mixed; boundary=b\n\n--b\n${part}\n--b--\n`);
    const { client } = scene.stack;
    const runs = async () =>
      (await client.expect<{ data: { input: JsonObject }[] }>('GET', `/v1/runs?agent=${filed}`)).data;
    const sha256 = createHash('sha256').update(content).digest('hex');
    await eventually(async () =>
      expect(await runs()).toMatchObject([{ input: { files: [{ file: expect.stringMatching(/^file_/), sha256 }] } }]),
    );
  });
});

function base64Lines(content: Buffer): string {
  return content.toString('base64').replace(/.{76}/g, '$&\n');
}

function mail(id: string): string {
  return `From: ann@example.com\nTo: ${ADDRESS}\nSubject: ${id}\nMessage-ID: <${id}@example.com>\n\ntext of ${id}\n`;
}
