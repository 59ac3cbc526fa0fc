import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { SealedBox } from '@app/platform/crypto';
import { eventually } from '../support/eventually.js';
import { aPerson } from '../support/people.js';
import { type LoneScene, Scene } from '../support/scene.js';

const COMMAND = join(import.meta.dirname, '..', '..', 'dist', 'apps', 'standalone', 'src', 'commands', 'main.js');
/** Number of secrets. If a process is killed after the first page of secrets, most of them are still unprocessed. */
const SECRETS = 3_000;

const EVERY_CELL = `
  select c.table_name as "table", c.column_name as "column", c.data_type as type from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
  where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type in ('bytea', 'jsonb', 'json', 'text')`;

describe('a change of the encryption key', () => {
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
  const keys: Record<string, string> = { ENCRYPTION_KEY: oldKey.toString('base64') };
  const kept = `canary-${randomBytes(8).toString('hex')}`;
  const marker = `visible-${randomBytes(8).toString('hex')}`;
  let scene: LoneScene;
  let ended: string;
  let waiting: string;
  let agent: { id: string; webhook_secret: string };
  const children: ChildProcess[] = [];

  const client = () => scene.stack.client;
  const put = (name: string, value: string) => client().expect('PUT', `/v1/secrets/${name}`, { value });

  beforeAll(async () => {
    scene = await Scene.alone({ why: 'rotates the encryption keys', workers: 1, env: keys });
    scene.ledger.always('/mirror', { body: ({ body }) => ({ said: body, iban: kept }) });
    await put('TOKEN', 'token-of-the-shop');
    agent = await client().expect('POST', '/v1/agents', {
      name: 'discreet',
      redact: { paths: ['input.body', 'tools.shop.mirror.response.iban'] },
      tools: [
        {
          name: 'shop',
          type: 'http',
          base_url: scene.ledger.url,
          auth: { type: 'bearer', token: '${{ secrets.TOKEN }}' },
          operations: [{ name: 'mirror', method: 'POST', path: '/mirror' }],
        },
      ],
      policies: [{ name: 'ask', when: 'input.ask', action: 'require_approval', approval: 'all' }],
      approvals: { all: { approvers: ['all'], timeout: '1h', on_timeout: 'fail', show: ['input.body'] } },
      steps: [
        { id: 'mirror', tool: 'shop.mirror', with: { body: 'It said: ${{ input.body }}', marker } },
        { id: 'result', output: { iban: '${{ steps.mirror.output.iban }}', body: '${{ input.body }}' } },
      ],
    });
    const { id: endpoint } = await client().expect<{ id: string }>('POST', '/v1/webhook-endpoints', {
      url: scene.ledger.url,
      events: ['run.completed'],
    });
    // The secret of the endpoint is rotated twice, so that the endpoint has a current secret, a previous one and an
    // older one.
    for (let n = 0; n < 2; n++) await client().expect('POST', `/v1/webhook-endpoints/${endpoint}/rotate`, {});
    await client().call(
      'POST',
      '/v1/agents',
      { name: 'once', steps: [{ id: 'a', output: {} }] },
      { 'idempotency-key': 'k' },
    );
    const rotated = await client().expect<{ webhook_secret: string }>(
      'POST',
      `/v1/agents/${agent.id}/webhook-secret/rotate`,
      {},
    );
    agent.webhook_secret = rotated.webhook_secret;
    ended = (await client().startRun(agent.id, { body: kept, ask: false })).id;
    waiting = (await client().startRun(agent.id, { body: kept, ask: true })).id;
    await statusOf(ended, 'succeeded');
    await statusOf(waiting, 'waiting_approval');
    // The input of this run is user data that looks like an encrypted value.
    const open = await client().createAgent({ name: 'open', steps: [{ id: 'a', output: { echo: '${{ input }}' } }] });
    const { id } = await client().startRun(open, { odd: { $sealed: 'AAECAwQ', shown: 'mine' } });
    await statusOf(id, 'succeeded');
    await plantSecrets();
  });

  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await scene.stop();
  });

  async function statusOf(run: string, status: string): Promise<void> {
    await eventually(async () => expect((await client().run(run)).status).toBe(status));
  }

  async function plantSecrets(): Promise<void> {
    const box = new SealedBox([oldKey]);
    const names = Array.from({ length: SECRETS }, (_, n) => `PLANTED_${n}`);
    const workspace = scene.stack.workspaceId;
    const cell = (row: string) => ({ workspace, table: 'secrets', column: 'value', row });
    await scene.stack.query(
      `insert into secrets (workspace_id, name, value, updated_by)
       select $1, n, decode(v, 'base64'), 'ada@example.com' from unnest($2::text[], $3::text[]) as planted (n, v)`,
      [workspace, names, names.map((name) => box.seal(`value of ${name}`, cell(name)).toString('base64'))],
    );
  }

  function rotate(more: Record<string, string> = {}): {
    child: ChildProcess;
    output: () => string;
    done: Promise<number | null>;
  } {
    let text = '';
    const child = spawn(process.execPath, [COMMAND, 'keys', 'rotate-encryption'], {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: scene.stack.databaseUrl,
        DATA_DIR: '/nonexistent',
        ...keys,
        ...more,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)));
    return { child, output: () => text, done: new Promise((resolve) => child.once('close', resolve)) };
  }

  /**
   * Returns the tables and columns that contain a value that was encrypted with the key. The prefix of a value
   * identifies its key.
   */
  async function sealedWith(key: Buffer): Promise<string[]> {
    const prefix = new SealedBox([key]).currentPrefix;
    // The prefix has five bytes, so the first six base64 characters depend only on the prefix.
    const text = prefix.toString('base64').slice(0, 6);
    const columns = await scene.stack.query<{ table: string; column: string; type: string }>(EVERY_CELL);
    const found: string[] = [];
    for (const { table, column, type } of columns) {
      const matches = type === 'bytea' ? `position($1::bytea in "${column}") > 0` : `strpos("${column}"::text, $1) > 0`;
      const rows = await scene.stack.query(`select from "${table}" where ${matches} limit 1`, [
        type === 'bytea' ? prefix : text,
      ]);
      if (rows.length > 0) found.push(`${table}.${column}`);
    }
    return found.sort();
  }

  const SEALED = [
    'agents.previous_webhook_secret',
    'agents.webhook_secret',
    'approvals.request',
    'approvals.show',
    'former_secrets.sealed',
    'idempotency_keys.response',
    'run_steps.detail',
    'run_steps.output',
    'run_steps.request',
    'runs.input',
    'runs.output',
    'secrets.value',
    'webhook_endpoints.previous_secret',
    'webhook_endpoints.secret',
  ];

  it('begins with everything sealed by one key, and is refused without the key that sealed it', async () => {
    expect(await sealedWith(oldKey)).toEqual(SEALED);
    const { done, output } = rotate({ ENCRYPTION_KEY: newKey.toString('base64') });
    expect(await done).toBe(1);
    expect(output()).toMatch(/None of the keys opens these values: .*secrets \(3001\).*ENCRYPTION_KEYS_PREVIOUS/);
    expect(await sealedWith(oldKey)).toEqual(SEALED);
  });

  it('continues after a kill while the service runs, and reports when the old key can be removed', async () => {
    Object.assign(keys, {
      ENCRYPTION_KEY: newKey.toString('base64'),
      ENCRYPTION_KEYS_PREVIOUS: oldKey.toString('base64'),
    });
    await scene.stack.endWorkers();
    await scene.stack.api.stop();
    await scene.stack.startApi(keys);
    await scene.stack.addWorker(keys);
    const first = rotate();
    await eventually(() => expect(first.output()).toContain('secrets: 100 rows'));
    first.child.kill('SIGKILL');
    await first.done;
    expect(await sealedWith(oldKey)).toContain('secrets.value');
    expect(await sealedWith(newKey)).toContain('secrets.value');
    const second = rotate();
    const during = client().startRun(agent.id, { body: kept, ask: false });
    expect(await second.done).toBe(0);
    await statusOf((await during).id, 'succeeded');
    expect(second.output()).toMatch(/secrets: \d+ rows read.*\n[^]*You can remove the previous key/);
    expect(second.output()).toMatch(/but that no key opens: .*runs/);
  });

  it('leaves nothing behind that the old key has sealed', async () => {
    expect(await sealedWith(oldKey)).toEqual([]);
    expect(await sealedWith(newKey)).toEqual(SEALED);
    const again = rotate();
    expect(await again.done).toBe(0);
    expect(again.output()).toContain('\n0 rows were sealed again');
  });

  it('keeps every value: the old key is gone, and all that was sealed opens', async () => {
    delete keys.ENCRYPTION_KEYS_PREVIOUS;
    await scene.stack.endWorkers();
    await scene.stack.api.stop();
    await scene.stack.startApi(keys);
    await scene.stack.addWorker(keys);
    const revealed = await client().expect('GET', `/v1/runs/${ended}/trace?reveal=true`);
    expect(JSON.stringify(revealed)).toContain(kept);
    const ann = await aPerson(scene.stack, 'ann@example.com');
    await client().expect('POST', '/v1/groups', { name: 'all', members: ['ann@example.com'] });
    const [approval] = await scene.stack.query<{ id: string }>('select id from approvals where run_id = $1', [waiting]);
    await ann.expect('POST', `/v1/runs/${waiting}/approvals/${approval!.id}`, { decision: 'approve' });
    await statusOf(waiting, 'succeeded');
    const sent = scene.ledger.calls.filter(({ path }) => path === '/mirror').at(-1);
    expect(sent?.body).toContain(`It said: ${kept}`);
    expect(sent?.headers.authorization).toBe('Bearer token-of-the-shop');
    const trigger = await fetch(`${scene.stack.baseUrl}/v1/agents/${agent.id}/trigger`, {
      method: 'POST',
      headers: { 'x-service-webhook-secret': agent.webhook_secret, 'content-type': 'application/json' },
      body: JSON.stringify({ body: kept, ask: false }),
    });
    expect(trigger.status).toBe(202);
  });

  it('takes no further words', async () => {
    const child = spawn(process.execPath, [COMMAND, 'keys', 'rotate-encryption', 'now'], { stdio: 'ignore' });
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(2);
  });
});
