import { lowestId } from '@app/kernel';
import { Pool } from 'pg';
import { BulkActionWorker } from '../../libs/runs/src/bulk/bulk-action.worker.js';
import { GREETER } from '../fixtures/definitions.js';
import { startApi, type TestApi } from './api.js';
import type { ApiAnswer, CallOptions, TestTenant } from './http-api.js';
import { createTestDatabase, type TestDatabase } from './postgres.js';

const YAML = { 'Content-Type': 'application/yaml' };
const LEASE_MILLIS = 60_000;
const MINUTE = 60_000;

export interface BulkResult {
  run: string;
  status: string;
  code?: string;
  replay?: string;
}

/** An API without worker processes. The test itself calls the class that processes bulk actions in a worker. */
export class BulkScene {
  tenant: TestTenant;
  agent: string;

  private constructor(
    private readonly database: TestDatabase,
    readonly postgres: Pool,
    readonly api: TestApi,
  ) {}

  static async open(): Promise<BulkScene> {
    const database = await createTestDatabase();
    const postgres = new Pool({ connectionString: database.url, max: 4 });
    const scene = new BulkScene(database, postgres, await startApi({ databaseUrl: database.url }));
    await scene.reset();
    return scene;
  }

  async reset(): Promise<void> {
    this.tenant = await this.api.newTenant();
    this.agent = await this.createAgent(GREETER);
  }

  async close(): Promise<void> {
    await this.postgres.end();
    await this.api.close();
    await this.database.drop();
  }

  call(method: string, path: string, options: CallOptions = {}): Promise<ApiAnswer> {
    return this.api.call(method, `/v1${path}`, { key: this.tenant.adminKey, ...options });
  }

  start(body: object, options: CallOptions = {}): Promise<ApiAnswer> {
    return this.call('POST', '/bulk-actions', { body, ...options });
  }

  async get(id: string): Promise<ApiAnswer['body']> {
    return (await this.call('GET', `/bulk-actions/${id}`)).body;
  }

  async createAgent(body: string): Promise<string> {
    return (await this.call('POST', '/agents', { headers: YAML, body })).body.id;
  }

  async runs(count: number, of = this.agent): Promise<string[]> {
    const made: string[] = [];
    for (let n = 0; n < count; n++)
      made.push((await this.call('POST', `/agents/${of}/runs`, { body: { input: { name: 'Ada' } } })).body.id);
    return made.reverse();
  }

  async insertRuns(count: number, status: 'queued' | 'succeeded'): Promise<string[]> {
    const now = Date.now();
    const ids = Array.from({ length: count }, (_, n) => lowestId('run', now - n * MINUTE));
    await this.postgres.query(
      `insert into runs (id, workspace_id, agent_id, version, mode, trigger, input, currency, status, wake_at, ended_at)
       select id, $1, $2, 1, 'production', '{"type": "api"}', '{"name": "Ada"}', 'EUR', $4,
         case when $4 = 'queued' then clock_timestamp() end, case when $4 <> 'queued' then clock_timestamp() end
       from unnest($3::text[]) id`,
      [this.tenant.workspaceId, this.agent, ids, status],
    );
    return ids;
  }

  async end(ids: readonly string[]): Promise<void> {
    const text = `update runs set status = 'succeeded', wake_at = null, ended_at = clock_timestamp() where id = any ($1)`;
    await this.postgres.query(text, [ids]);
  }

  async endQueuedRuns(): Promise<void> {
    const { rows } = await this.postgres.query<{ id: string }>(`select id from runs where status = 'queued'`);
    await this.end(rows.map(({ id }) => id));
  }

  async endedRuns(count: number, of = this.agent): Promise<string[]> {
    const made = await this.runs(count, of);
    await this.end(made);
    return made;
  }

  takeTurn(leaseMillis = LEASE_MILLIS): Promise<boolean> {
    const worker = this.api.app.get(BulkActionWorker, { strict: false });
    return worker.takeTurn(leaseMillis, new AbortController().signal);
  }

  async work(): Promise<number> {
    let turns = 0;
    while (await this.takeTurn()) turns += 1;
    return turns;
  }

  async statusOf(run: string): Promise<string> {
    return (await this.call('GET', `/runs/${run}`)).body.status;
  }

  async replaysOf(run: string): Promise<{ id: string; mode: string }[]> {
    return (await this.call('GET', `/runs?replay_of=${run}`)).body.data;
  }

  async resultsOf(id: string): Promise<BulkResult[]> {
    const found: BulkResult[] = [];
    for (let cursor = ''; ;) {
      const { body } = await this.call('GET', `/bulk-actions/${id}?limit=100${cursor}`);
      found.push(...body.results);
      if (body.next_cursor === undefined) return found;
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
    }
  }
}
