import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@app/kernel';
import { ApiClient } from '../support/api-client.js';
import { restoreCopy } from '../support/dump.js';
import { eventually } from '../support/eventually.js';
import { Ledger } from '../support/ledger.js';
import { createTestDatabase } from '../support/postgres.js';
import { endAll } from '../support/scene.js';
import { type Stack, startStack } from '../support/stack.js';

const SECRET = 'token-of-the-shop-7f3a';

/**
 * Follows the recovery drill in docs/operations.md. Restores the service from its encryption keys and from a database
 * backup that was taken while runs were in progress.
 */
describe('a restored backup', () => {
  const ends: (() => Promise<void>)[] = [];
  const ended = new Set<Stack>();
  let ledger: Ledger;
  let dataDir: string;

  beforeAll(async () => {
    ledger = await Ledger.start();
    ends.push(() => ledger.close());
    dataDir = await mkdtemp(join(tmpdir(), 'restore-'));
    ends.push(() => rm(dataDir, { recursive: true, force: true }));
  });
  afterAll(() => endAll(ends));

  const anAgent = (name: string, steps: JsonObject[]): JsonObject => ({
    name,
    tools: [
      {
        name: 'shop',
        type: 'http',
        base_url: ledger.url,
        auth: { type: 'bearer', token: '${{ secrets.SHOP_TOKEN }}' },
        operations: [
          { name: 'look', method: 'GET', path: '/look' },
          { name: 'pay', method: 'POST', path: '/pay' },
        ],
      },
    ],
    approvals: { desk: { approvers: ['desk'], timeout: '24h', on_timeout: 'fail', self_approval: true } },
    steps,
  });
  const statusOf = async (client: ApiClient, id: string): Promise<string> => (await client.run(id)).status;
  const becomes = (client: ApiClient, id: string, status: string) =>
    eventually(async () => expect(await statusOf(client, id)).toBe(status));

  async function end(stack: Stack): Promise<void> {
    if (!ended.has(stack)) await stack.stop();
    ended.add(stack);
  }

  async function launch(databaseUrl: string, key: string, workers = 1) {
    // The restored installation has the files of the original.
    const env = { LOG_LEVEL: 'info', EGRESS_ALLOW: ledger.egressEntry, ENCRYPTION_KEY: key, DATA_DIR: dataDir };
    const stack = await startStack({ databaseUrl, workers, env });
    ends.push(() => end(stack));
    return stack;
  }

  it('continues from the backup: keys, secrets, approvals, waiting runs; and repeats no write', async () => {
    const key = randomBytes(32).toString('base64');
    const original = await createTestDatabase();
    ends.push(() => original.drop());
    const before = await launch(original.url, key);
    const { client } = before;
    await client.expect('PUT', '/v1/secrets/SHOP_TOKEN', { value: SECRET });
    await client.expect('POST', '/v1/groups', { name: 'desk', members: ['admin@example.com'] });
    const asking = await client.createAgent(
      anAgent('asks', [
        { id: 'ask', approval: 'desk' },
        { id: 'l', tool: 'shop.look' },
      ]),
    );
    const paying = await client.createAgent(anAgent('pays', [{ id: 'p', tool: 'shop.pay' }]));
    const looking = await client.createAgent(anAgent('looks', [{ id: 'l', tool: 'shop.look' }]));
    ledger.always('/pay', { hang: true });
    const [asked, paid] = [await client.startRun(asking), await client.startRun(paying)];
    await becomes(client, asked.id, 'waiting_approval');
    await ledger.called('/pay');
    for (const program of before.programs.filter(({ name }) => name !== 'api')) await program.kill();
    const queued = await client.startRun(looking);
    await before.api.kill();
    await end(before);

    const { database } = await restoreCopy(original);
    ends.push(() => database.drop());
    const after = await launch(database.url, key);
    const again = new ApiClient(() => after.baseUrl, before.adminKey);
    await becomes(again, queued.id, 'succeeded');
    expect(ledger.callsOf('/look')[0]!.headers.authorization).toBe(`Bearer ${SECRET}`);
    // The service does not know whether the payment was made before the backup, so the run asks a person.
    await becomes(again, paid.id, 'waiting_approval');
    expect(ledger.callsOf('/pay')).toHaveLength(1);
    const { data } = await again.expect<{ data: { id: string; kind: string; run: string }[] }>(
      'GET',
      '/v1/approvals?status=open',
    );
    expect(data.find(({ run }) => run === paid.id)).toMatchObject({ kind: 'in_doubt' });
    const approval = data.find(({ run }) => run === asked.id);
    await again.expect('POST', `/v1/runs/${asked.id}/approvals/${approval!.id}`, { decision: 'approve' });
    await becomes(again, asked.id, 'succeeded');
    await end(after);

    const { database: other } = await restoreCopy(database);
    ends.push(() => other.drop());
    const without = await launch(other.url, randomBytes(32).toString('base64'));
    const locked = new ApiClient(() => without.baseUrl, before.adminKey);
    const calls = ledger.calls.length;
    const lost = await locked.startRun(looking);
    await becomes(locked, lost.id, 'failed');
    expect(ledger.calls.length).toBe(calls);
  });
});
