import type { JsonObject } from '@app/kernel';
import { Client } from 'pg';
import { eventually } from './eventually.js';
import { Scene, type SceneOptions } from './scene.js';
import { SiteServer } from './site-server.js';
import type { SharedStack } from './shared-stack.js';
import type { Service, Stack } from './stack.js';

export interface SyncAnswer {
  id: string;
  status: string;
  progress: Record<'seen' | 'added' | 'updated' | 'unchanged' | 'deleted' | 'failed', number> & { total?: number };
  failures: { key: string; code: string; message: string }[];
  error: { code: string; message: string } | null;
  held_deletions: { count: number; confirmed_at: string | null } | null;
}

export interface SourceAnswer {
  id: string;
  status: string;
  document_count: number;
  next_sync_at: string | null;
  last_sync: SyncAnswer | null;
  error: { code: string; message: string } | null;
}

const SYNCED_WITHIN_MS = 60_000;

export class SyncScene<S extends Service = SharedStack> {
  private constructor(
    private readonly scene: Scene<S>,
    readonly site: SiteServer,
  ) {}

  /** See {@link Scene.start}. */
  static async start(): Promise<SyncScene> {
    return new SyncScene(await Scene.start(), await SiteServer.start());
  }

  /** See {@link Scene.alone}. */
  static async alone({ env, ...options }: SceneOptions): Promise<SyncScene<Stack>> {
    const scene = await Scene.alone({ ...options, env: { EGRESS_ALLOW: '127.0.0.1/32', ...env } });
    return new SyncScene(scene, await SiteServer.start());
  }

  get stack(): S {
    return this.scene.stack;
  }

  get databaseUrl(): string {
    return this.stack.databaseUrl;
  }

  async stop(): Promise<void> {
    await this.scene.stop();
    await this.site.stop();
  }

  expect<Body>(method: string, path: string, body?: JsonObject): Promise<Body> {
    return this.stack.client.expect<Body>(method, `/v1${path}`, body);
  }

  async aBase(name: string, settings: JsonObject = {}): Promise<string> {
    return (await this.expect<{ id: string }>('POST', '/knowledge-bases', { name, settings })).id;
  }

  async aSource(base: string, source: JsonObject): Promise<string> {
    const path = `/knowledge-bases/${base}/sources`;
    return `${path}/${(await this.expect<{ id: string }>('POST', path, source)).id}`;
  }

  /** Stores documents in an upload source, by key. They are indexed by the next sync, as after a push. */
  async putUploads(source: string, texts: Readonly<Record<string, string>>): Promise<void> {
    await this.stack.query(
      `insert into knowledge_uploads (source_id, key, workspace_id, content_type, size, hash, content, uploaded_by)
        select s.id, d.key, s.workspace_id, 'text/markdown', length(d.value), md5(d.value), convert_to(d.value, 'UTF8'), 'test'
        from knowledge_sources s, json_each_text($2::json) d where s.id = $1`,
      [source.split('/').at(-1), JSON.stringify(texts)],
    );
  }

  source(path: string): Promise<SourceAnswer> {
    return this.expect<SourceAnswer>('GET', path);
  }

  async sync(source: string): Promise<SyncAnswer> {
    const { id } = await this.expect<SyncAnswer>('POST', `${source}/sync`);
    return this.ended(`${source}/syncs/${id}`);
  }

  ended(path: string, within = SYNCED_WITHIN_MS): Promise<SyncAnswer> {
    const look = async (): Promise<SyncAnswer> => {
      const sync = await this.expect<SyncAnswer>('GET', path);
      if (['queued', 'running'].includes(sync.status)) throw new Error(`The sync is ${sync.status}.`);
      return sync;
    };
    return eventually(look, { within });
  }

  /** Waits until this number of sessions wait for a lock. */
  waiting(sessions: number): Promise<void> {
    return eventually(async () => {
      const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      expect((await this.stack.query(waits)).length).toBeGreaterThanOrEqual(sessions);
    });
  }

  /**
   * Starts a sync, and kills its worker when it would write the document with this key, and has recorded what came in
   * batches before it. Returns the id of the sync.
   */
  async killedBefore(source: string, key: string): Promise<string> {
    const client = new Client({ connectionString: this.databaseUrl });
    await client.connect();
    // Another transaction has the key, but none of the locks that foreign keys would take.
    await client.query('begin; set local session_replication_role = replica');
    await client.query(
      `insert into knowledge_documents
         (id, workspace_id, knowledge_base_id, source_id, key, title, content_type, language, hash, bytes)
       select 'doc_held', workspace_id, knowledge_base_id, id, $2, '', 'text/plain', 'simple', '', 0
       from knowledge_sources where id = $1`,
      [source.split('/').at(-1), key],
    );
    const [holder] = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows;
    const { id } = await this.expect<SyncAnswer>('POST', `${source}/sync`);
    const held = 'select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))';
    await eventually(async () => expect(await this.stack.query(held, [holder?.pid])).toHaveLength(1));
    await this.stack.workers.splice(0)[0]!.kill();
    await client.query('rollback');
    await client.end();
    return id;
  }

  async titles(source: string): Promise<string[]> {
    const id = source.split('/').at(-1);
    const text = 'select title from knowledge_documents where source_id = $1 and deleted_at is null order by title';
    return (await this.stack.query<{ title: string }>(text, [id])).map(({ title }) => title);
  }

  async text(source: string, key: string): Promise<string | undefined> {
    const text = `select t.body from knowledge_documents d join knowledge_texts t on t.document_id = d.id
      where d.source_id = $1 and d.key = $2 and d.deleted_at is null`;
    return (await this.stack.query<{ body: string }>(text, [source.split('/').at(-1), key]))[0]?.body;
  }
}
