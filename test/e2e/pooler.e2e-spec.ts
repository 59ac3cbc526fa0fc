import type { JsonObject } from '@app/kernel';
import { Client } from 'pg';
import { eventually } from '../support/eventually.js';
import { Ledger } from '../support/ledger.js';
import { Pooler, poolerVersion } from '../support/pooler.js';
import { createTestDatabase } from '../support/postgres.js';
import { endAll } from '../support/scene.js';
import { type Stack, startStack } from '../support/stack.js';
import { testedQueues } from '../support/tested-queues.js';
import { aToolAgent } from '../support/tool-agents.js';
import { TransactionPooler } from '../support/transaction-pooler.js';

/** Number of database connections of the pooler. There are more processes, so these must share the connections. */
const CONNECTIONS = 2;

const redisUrl = (await testedQueues()).find((queue) => queue.redisUrl !== undefined)?.redisUrl;
const missing = [...(poolerVersion() === undefined ? ['PgBouncer'] : []), ...(redisUrl === undefined ? ['Redis'] : [])];
if (missing.length > 0) console.warn(`NOT tested through a pooler: there is no ${missing.join(' and no ')}`);

(missing.length === 0 ? describe : describe.skip)('a fleet behind a PgBouncer in transaction mode', () => {
  const ends: (() => Promise<void>)[] = [];
  let stack: Stack;
  let ledger: Ledger;
  let databaseUrl: string;

  beforeAll(async () => {
    const database = await createTestDatabase();
    ends.push(() => database.drop());
    databaseUrl = database.url;
    const pooler = await Pooler.start(database.url, CONNECTIONS);
    ends.push(pooler.close);
    ledger = await Ledger.start();
    ends.push(() => ledger.close());
    const env = { LOG_LEVEL: 'info', EGRESS_ALLOW: ledger.egressEntry };
    stack = await startStack({ databaseUrl: pooler.url, ...(redisUrl !== undefined && { redisUrl }), workers: 2, env });
    ends.push(() => stack.stop());
  });
  afterAll(() => endAll(ends));

  const anAgent = (name: string, steps: JsonObject[]): JsonObject => ({
    name,
    tools: [
      {
        name: 'erp',
        type: 'http',
        base_url: ledger.url,
        operations: [
          { name: 'get', method: 'GET', path: '/order' },
          { name: 'pay', method: 'POST', path: '/pay' },
        ],
      },
    ],
    approvals: { desk: { approvers: ['desk'], timeout: '1h', on_timeout: 'fail', self_approval: true } },
    steps,
  });
  const ended = (id: string, status: string) =>
    eventually(async () => expect(await stack.client.run(id)).toMatchObject({ status }));

  it('carries runs out, each call once, over fewer sessions than it has processes', async () => {
    const agent = await stack.client.createAgent(
      anAgent('plain', [
        { id: 'a', tool: 'erp.get' },
        { id: 'b', tool: 'erp.pay' },
      ]),
    );
    const runs = await Promise.all(Array.from({ length: 60 }, () => stack.client.startRun(agent)));
    for (const { id } of runs) await ended(id, 'succeeded');
    expect(ledger.callsOf('/pay')).toHaveLength(60);
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ sessions: number }>(
      `select count(*)::integer as sessions from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await client.end();
    expect(rows[0]!.sessions).toBeLessThanOrEqual(CONNECTIONS);
  });

  it('requests approvals and continues, lists resources, and isolates workspaces', async () => {
    await stack.client.expect('POST', '/v1/groups', { name: 'desk', members: ['admin@example.com'] });
    const agent = await stack.client.createAgent(
      anAgent('asks', [
        { id: 'ask', approval: 'desk' },
        { id: 'b', tool: 'erp.get' },
      ]),
    );
    const { id } = await stack.client.startRun(agent);
    await ended(id, 'waiting_approval');
    const { data } = await stack.client.expect<{ data: { id: string }[] }>('GET', '/v1/approvals?status=open');
    await stack.client.expect('POST', `/v1/runs/${id}/approvals/${data[0]!.id}`, { decision: 'approve' });
    await ended(id, 'succeeded');
    const listed = await stack.client.expect<{ data: { id: string }[] }>('GET', `/v1/runs?agent=${agent}`);
    expect(listed.data.map((run) => run.id)).toEqual([id]);
  });

  it('stops: no call begins until the resume', async () => {
    const agent = await stack.client.createAgent(
      anAgent('stops', [
        { id: 'w', wait: { for: '1s' } },
        { id: 'b', tool: 'erp.get' },
      ]),
    );
    const { id } = await stack.client.startRun(agent);
    await stack.client.expect('POST', '/v1/workspace/emergency-stop', {});
    const before = ledger.calls.length;
    const refused = await stack.client.call('POST', `/v1/agents/${agent}/runs`, { input: {} });
    expect(refused).toMatchObject({ status: 409, body: { code: 'workspace_stopped' } });
    expect(ledger.calls.length).toBe(before);
    await stack.client.expect('POST', '/v1/workspace/resume', {});
    await ended(id, 'succeeded');
  });
});

describe('a worker behind a pooler that loses prepared statements without notice', () => {
  const ends: (() => Promise<void>)[] = [];
  afterAll(() => endAll(ends));

  it('recognises it at the start, and ends every accepted run as it should end', async () => {
    const database = await createTestDatabase();
    ends.push(() => database.drop());
    const pooler = await TransactionPooler.start(database.url, CONNECTIONS);
    ends.push(() => pooler.stop());
    const ledger = await Ledger.start();
    ends.push(() => ledger.close());
    // The queue is disabled, because the queue in Postgres needs sessions that are not shared. Workers find their runs
    // by polling.
    const stack = await startStack({
      databaseUrl: database.url,
      workers: 1,
      neverReady: true,
      env: {
        LOG_LEVEL: 'info',
        EGRESS_ALLOW: ledger.egressEntry,
        DATABASE_URL: pooler.url,
        REDIS_URL: 'redis://127.0.0.1:1',
      },
    });
    ends.push(() => stack.stop());
    const agent = await stack.client.createAgent(aToolAgent('pooled', ledger.url, [['write', '/pay']]));
    /** Starts a run. If the response is 503, repeats the request with the same idempotency key, as clients do. */
    const start = async (_: unknown, n: number): Promise<string> => {
      const headers = { 'idempotency-key': `run-${n}` };
      const path = `/v1/agents/${agent}/runs`;
      return eventually(async () => {
        const { status, body } = await stack.client.call<{ id: string }>('POST', path, { input: {} }, headers);
        expect(status).toBe(202);
        return body.id;
      });
    };
    const runs = await Promise.all(Array.from({ length: 20 }, start));
    for (const id of runs) {
      await eventually(async () => expect((await stack.client.run(id)).status).toBe('succeeded'));
    }
    expect(ledger.callsOf('/pay')).toHaveLength(runs.length);
    for (const program of stack.programs)
      expect(program.log()).toContain('the connection pooler loses prepared statements');
  });
});
