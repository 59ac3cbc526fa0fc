import type { TLSSocket } from 'node:tls';
import type { JsonObject } from '@app/kernel';
import { addWorkspace } from '../support/added-workspace.js';
import { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { flood } from '../support/hostile/hostile-server.js';
import { ImapServer } from '../support/mail/imap-server.js';
import { aMailAgent } from '../support/mail/mail-agents.js';
import { Scene } from '../support/scene.js';

const PATIENCE = { within: 300_000 };
const AN_AGENT: JsonObject = { name: 'quiet', steps: [{ id: 'done', output: { ok: true } }] };
const MAIL = 'From: ann@example.com\nTo: desk@example.com\nSubject: hello\nMessage-ID: <m1@example.com>\n\ntext\n';

interface Attack {
  act: (socket: TLSSocket) => void;
  /** Text that must occur in the error that the service reports for the trigger. */
  reason: string;
}

const LONG = Buffer.alloc(65_536, 'x');
const ANSWERS = Buffer.concat([Buffer.from('* OK '), LONG, Buffer.from('\r\n')]);
const BROKEN = Buffer.from('* {9}\r\n\xff\xff', 'latin1');
const ATTACKS: Record<string, Attack> = {
  'answers without an end': { act: (socket) => flood(socket, ANSWERS), reason: 'more than' },
  'a line without an end': { act: (socket) => flood(socket, LONG), reason: 'exceeds maximum allowed size' },
  'nine broken bytes': { act: (socket) => void socket.end(BROKEN), reason: 'Unexpected close' },
  nothing: { act: () => undefined, reason: 'did not respond completely within 30 s' },
};
const NAMES = Object.keys(ATTACKS);

/** A workspace with one agent. The agent has a mailbox trigger for an IMAP server that only this workspace uses. */
class WatchedMailbox {
  /** Number of logins since the IMAP server became hostile. */
  attacked = 0;

  private constructor(
    readonly server: ImapServer,
    private readonly client: ApiClient,
    private readonly agent: string,
  ) {}

  static async create({ stack }: Scene): Promise<WatchedMailbox> {
    const server = await ImapServer.start('desk', 'pass-word');
    const client = new ApiClient(() => stack.baseUrl, (await addWorkspace(stack)).adminKey);
    await client.expect('PUT', '/v1/secrets/IMAP_PASSWORD', { value: 'pass-word' });
    const imap = { host: 'localhost', port: server.port, user: 'desk', password: '${{ secrets.IMAP_PASSWORD }}' };
    const agent = await client.createAgent(aMailAgent('desk@example.com', { imap }));
    await eventually(() => expect(server.idling).toBe(1), PATIENCE);
    return new WatchedMailbox(server, client, agent);
  }

  attack({ act }: Attack): void {
    this.server.hostile = (socket) => {
      this.attacked += 1;
      act(socket);
    };
    this.server.drop();
  }

  behave(): void {
    this.server.hostile = undefined;
    this.server.drop();
  }

  async health(): Promise<JsonObject | undefined> {
    return (await this.client.expect<{ data: JsonObject[] }>('GET', `/v1/agents/${this.agent}/triggers`)).data[0];
  }

  async runs(): Promise<JsonObject[]> {
    return (await this.client.expect<{ data: JsonObject[] }>('GET', `/v1/runs?agent=${this.agent}`)).data;
  }
}

/** The API and the worker are real. The IMAP servers of all mailboxes become hostile at the same time. */
describe('a mailbox whose IMAP server is hostile', () => {
  let scene: Scene;
  const mailboxes = new Map<string, WatchedMailbox>();
  const mailbox = (name: string): WatchedMailbox => {
    const found = mailboxes.get(name);
    if (!found) throw new Error(`There is no mailbox for "${name}".`);
    return found;
  };

  beforeAll(async () => {
    scene = await Scene.start();
    for (const name of NAMES) mailboxes.set(name, await WatchedMailbox.create(scene));
    for (const name of NAMES) mailbox(name).attack(ATTACKS[name]!);
  });
  afterAll(async () => {
    await scene.stop();
    for (const { server } of mailboxes.values()) await server.close();
  });

  it('does not keep the run of another workspace', async () => {
    await eventually(() => expect(NAMES.filter((name) => mailbox(name).attacked === 0)).toEqual([]), PATIENCE);
    const { client } = scene.stack;
    const run = await client.startRun(await client.createAgent(AN_AGENT));
    await eventually(async () => expect(await client.run(run.id)).toMatchObject({ status: 'succeeded' }), PATIENCE);
  });

  it.each(NAMES)('that sends %s after the login is named in the health of the trigger', async (name) => {
    // The worker logs in for the second time only after it has closed the first connection.
    await eventually(() => expect(mailbox(name).attacked).toBeGreaterThan(1), PATIENCE);
    expect(await mailbox(name).health()).toMatchObject({
      health: 'error',
      last_error: expect.stringContaining(ATTACKS[name]!.reason),
    });
  });

  it('is watched again when its server behaves, by the same worker', async () => {
    for (const name of NAMES) {
      mailbox(name).behave();
      mailbox(name).server.append(MAIL);
    }
    for (const name of NAMES) {
      await eventually(
        async () => expect(await mailbox(name).runs()).toMatchObject([{ status: 'succeeded' }]),
        PATIENCE,
      );
      expect(await mailbox(name).health()).toMatchObject({ health: 'ok', last_error: null });
    }
    const [worker] = scene.stack.workers;
    const alive = 'select from workers where pid = $1 and lease_until > clock_timestamp()';
    expect(await scene.stack.query(alive, [worker?.pid])).toHaveLength(1);
  });
});
