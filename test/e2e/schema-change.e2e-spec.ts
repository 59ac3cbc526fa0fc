import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { type LoneScene, Scene } from '../support/scene.js';

const FUNCTIONS = join(import.meta.dirname, '..', '..', 'libs', 'runs', 'src', 'sql');

/** One example of each kind of change that a release may make to the tables of the previous release. */
const ADDITIONS = [
  'alter table runs add later_note text',
  `alter table runs add later_state text not null default 'new'`,
  `alter table run_steps add later_detail jsonb`,
  'alter table runs add constraint later_ck check (length(later_state) < 100) not valid',
  'alter table runs validate constraint later_ck',
  'create table later_notes (run_id text not null, note text not null)',
  'create index concurrently later_ix on runs (workspace_id, later_state)',
  'create index concurrently later_steps_ix on run_steps (workspace_id, tool)',
];

const anAgent = (url: string): JsonObject => ({
  name: 'orders',
  tools: [
    { name: 'erp', type: 'http', base_url: url, operations: [{ name: 'get', method: 'GET', path: '/orders/{id}' }] },
  ],
  steps: [
    { id: 'first', tool: 'erp.get', with: { id: '1' } },
    { id: 'second', tool: 'erp.get', with: { id: '2' } },
    { id: 'done', output: { total: '${{ steps.second.output.call }}' } },
  ],
});

describe('processes of a release, while the next one changes the schema under them', () => {
  let scene: LoneScene;

  beforeAll(async () => {
    scene = await Scene.alone({ why: 'changes the schema', workers: 2 });
  });
  afterAll(() => scene.stop());

  it('answer every request and carry out every run, before, meanwhile and afterwards', async () => {
    const { client } = scene.stack;
    const agent = await client.createAgent(anAgent(scene.ledger.url));
    const accepted: string[] = [];
    const refused: unknown[] = [];
    const under = new AbortController();
    const visitor = async (): Promise<void> => {
      while (!under.signal.aborted) {
        const started = await client.call<{ id: string }>('POST', `/v1/agents/${agent}/runs`, { input: {} });
        if (started.status === 202) accepted.push(started.body.id);
        else refused.push(started.body);
        const listed = await client.call('GET', '/v1/runs?limit=5');
        if (listed.status !== 200) refused.push(listed.body);
      }
    };
    const visitors = Promise.all(Array.from({ length: 4 }, visitor));
    try {
      await eventually(() => expect(accepted.length).toBeGreaterThan(20));
      await change(scene.stack.databaseUrl);
      const then = accepted.length;
      await eventually(() => expect(accepted.length).toBeGreaterThan(then + 20));
    } finally {
      under.abort();
      await visitors;
    }
    expect(refused).toEqual([]);
    await eventually(async () => {
      const counts = await scene.stack.query('select status, count(*)::integer as runs from runs group by status');
      expect(counts).toEqual([{ status: 'succeeded', runs: accepted.length }]);
    });
    expect(scene.ledger.calls.length).toBe(2 * accepted.length);
  });
});

/**
 * Runs each statement separately, as a migration does. A statement that has waited two seconds for a lock fails, so
 * that it does not block other queries for longer.
 */
async function change(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`set lock_timeout = '2s'`);
    for (const statement of ADDITIONS) await client.query(statement);
    await client.query('begin');
    await client.query('set local check_function_bodies = off');
    for (const file of readdirSync(FUNCTIONS).sort()) {
      await client.query(`${readFileSync(join(FUNCTIONS, file), 'utf8')}\n-- of the next release`);
    }
    await client.query('commit');
  } finally {
    await client.end();
  }
}
