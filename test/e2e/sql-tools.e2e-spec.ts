import type { JsonObject } from '@app/kernel';
import { Client } from 'pg';
import { eventually } from '../support/eventually.js';
import { createEmptyTestDatabase, type TestDatabase } from '../support/postgres.js';
import { Scene } from '../support/scene.js';

/** The agents read and write a Postgres database of the tenant. */
describe('an agent with a SQL tool', () => {
  let scene: Scene;
  let database: TestDatabase;
  let theirs: Client;
  let count = 0;

  beforeAll(async () => {
    database = await createEmptyTestDatabase();
    theirs = new Client({ connectionString: database.url });
    await theirs.connect();
    await theirs.query(
      `create table invoices (id int constraint one_invoice primary key, email text, due date, reminded int not null default 0)`,
    );
    scene = await Scene.start();
    await scene.stack.client.expect('PUT', '/v1/secrets/CRM_DSN', { value: database.url });
  });
  beforeEach(async () => {
    await theirs.query('truncate invoices');
    await theirs.query(
      `insert into invoices (id, email, due) select n, 'a' || n || '@example.com', date '2026-01-01' + n from generate_series(1, 3) n`,
    );
  });
  afterAll(async () => {
    await scene.stop();
    await theirs.end();
    await database.drop();
  });

  const crm: JsonObject = {
    name: 'crm',
    type: 'postgres',
    dsn: '${{ secrets.CRM_DSN }}',
    operations: [
      { name: 'overdue', scope: 'read', sql: 'select id, email from invoices where due < $1 order by id', params: ['before'], max_rows: 500 },
      { name: 'mark', sql: 'update invoices set reminded = reminded + 1 where id = $1', params: ['id'], effect: 'idempotent', simulate: { row_count: 1 } },
      { name: 'add', sql: 'insert into invoices (id) values ($1)', params: ['id'] },
    ],
  }; // prettier-ignore
  const anAgent = (steps: JsonObject[], more: JsonObject = {}): Promise<string> =>
    scene.stack.client.createAgent({ name: `reminder-${++count}`, tools: [crm], steps, ...more });
  const runOf = async (agent: string, mode = 'production') => {
    const path = `/v1/agents/${agent}/runs`;
    const { id } = await scene.stack.client.expect<{ id: string }>('POST', path, { input: {}, mode });
    return eventually(async () => {
      const run = await scene.stack.client.run(id);
      expect(run.ended_at).not.toBeNull();
      return run;
    });
  };
  const reminded = async () =>
    (await theirs.query<{ id: number }>('select id from invoices where reminded = 1 order by id')).rows.map(
      ({ id }) => id,
    );

  const REMIND: JsonObject[] = [
    { id: 'overdue', tool: 'crm.overdue', with: { before: '2026-01-04' } },
    {
      id: 'each',
      for_each: '${{ steps.overdue.output.rows }}',
      as: 'invoice',
      steps: [{ id: 'mark', tool: 'crm.mark', with: { id: '${{ invoice.id }}' } }],
    },
    { id: 'result', output: '${{ steps.overdue.output }}' },
  ];

  it('reads rows and writes, and its trace has no DSN', async () => {
    const run = await runOf(await anAgent(REMIND));
    expect(run).toMatchObject({
      status: 'succeeded',
      output: {
        rows: [{ id: 1, email: 'a1@example.com' }, { id: 2, email: 'a2@example.com' }],
        row_count: 2,
        truncated: false,
      },
    }); // prettier-ignore
    expect(await reminded()).toEqual([1, 2]);
    const trace = await scene.stack.client.trace(run.id);
    const calls = trace.steps.filter(({ type }) => type === 'tool_call');
    expect(calls).toMatchObject([
      { tool: 'crm.overdue', status: 'succeeded', request: { before: '2026-01-04' } },
      { tool: 'crm.mark', status: 'succeeded', request: { id: 1 }, response_summary: '1 row' },
      { tool: 'crm.mark', status: 'succeeded', request: { id: 2 } },
    ]);
    expect(JSON.stringify(trace)).not.toContain(new URL(database.url).pathname.slice(1));
  });

  it('in mode test reads, and simulates writes', async () => {
    const run = await runOf(await anAgent(REMIND), 'test');
    expect(run).toMatchObject({ status: 'succeeded', output: { row_count: 2 } });
    expect(await reminded()).toEqual([]);
    const { steps } = await scene.stack.client.trace(run.id);
    expect(steps.filter(({ status }) => status === 'simulated')).toHaveLength(2);
  });

  it('reads in later steps why the database rejected a write', async () => {
    const agent = await anAgent([
      { id: 'add', tool: 'crm.add', with: { id: 1 }, continue_on_error: true },
      { id: 'result', output: { error: '${{ steps.add.error }}' } },
    ]);
    expect(await runOf(agent)).toMatchObject({
      status: 'succeeded',
      output: {
        error: { code: 'tool_error', status: null, body: { sqlstate: '23505', constraint: 'one_invoice' } },
      },
    });
  });

  it('is denied by a policy, as every call', async () => {
    const policies = [{ name: 'no-marks', when: 'tool.scope == "write"', action: 'deny' }];
    const run = await runOf(await anAgent(REMIND, { policies }));
    expect(run).toMatchObject({ status: 'failed', error: { code: 'tool_denied' } });
    expect(await reminded()).toEqual([]);
  });

  it('is answered by the mocks of an evaluation', async () => {
    const mock = { 'crm.overdue': { rows: [{ id: 3 }], row_count: 1, truncated: false } };
    const assert = [{ type: 'tool_called', value: 'crm.mark', with: 'request.id == 3.0', times: 1 }];
    const agent = await anAgent(REMIND, { evaluation: { cases: [{ name: 'one', input: {}, mock, assert }] } });
    const path = `/v1/agents/${agent}/versions/1/evaluate`;
    const { id } = await scene.stack.client.expect<{ id: string }>('POST', path, {});
    await eventually(async () =>
      expect(await scene.stack.client.expect('GET', `/v1/evaluations/${id}`)).toMatchObject({ status: 'passed' }),
    );
    expect(await reminded()).toEqual([]);
  });
});
