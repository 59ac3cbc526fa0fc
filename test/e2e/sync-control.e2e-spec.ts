import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { SyncScene, type SourceAnswer, type SyncAnswer } from '../support/sync-scene.js';
import { aPage } from '../support/site-server.js';

describe('a sync', () => {
  let scene: SyncScene;
  let base: string;
  let open: () => void;

  beforeAll(async () => {
    scene = await SyncScene.start();
    base = await scene.aBase('control');
  });
  afterAll(() => scene.stop());

  /** Creates a source for a site whose pages respond only after {@link open} was called. */
  async function aSlowSource(name: string): Promise<string> {
    const gate = new Promise<void>((resolve) => (open = resolve));
    const paths = [1, 2, 3].map((n) => `/${name}/${n}`);
    scene.site.set(`/${name}/`, aPage(name, 'Where it begins', paths));
    for (const path of paths) {
      const { body } = aPage(path, 'A page.');
      scene.site.set(
        path,
        (_, response) => void gate.then(() => response.writeHead(200, { 'content-type': 'text/html' }).end(body)),
      );
    }
    return scene.aSource(base, { connector: 'website', config: { start_urls: [`${scene.site.url}/${name}/`] } });
  }

  const begin = (source: string) => scene.stack.client.call<SyncAnswer>('POST', `/v1${source}/sync`);
  const look = (source: string, { id }: SyncAnswer) => scene.expect<SyncAnswer>('GET', `${source}/syncs/${id}`);
  const runs = (source: string, sync: SyncAnswer) =>
    eventually(async () =>
      expect(await look(source, sync)).toMatchObject({ status: 'running', progress: { seen: 1 } }),
    );

  it('is one at a time for each source: asking again answers the one that is under way', async () => {
    const source = await aSlowSource('once');
    const first = await begin(source);
    expect(first.status).toBe(202);
    await runs(source, first.body);
    const second = await begin(source);
    expect(second).toMatchObject({ status: 200, body: { id: first.body.id, status: 'running' } });
    expect(await scene.source(source)).toMatchObject({ status: 'syncing' });
    open();
    expect(await scene.ended(`${source}/syncs/${first.body.id}`)).toMatchObject({ status: 'succeeded' });
    expect((await begin(source)).status).toBe(202);
    const { data } = await scene.expect<{ data: SyncAnswer[] }>('GET', `${source}/syncs`);
    expect(data).toHaveLength(2);
  });

  it('is found in its base, whichever source it is of, and in no other base', async () => {
    const source = await aSlowSource('found');
    const { body } = await begin(source);
    open();
    const ended = await scene.ended(`${source}/syncs/${body.id}`);
    expect(await scene.expect('GET', `/knowledge-bases/${base}/syncs/${body.id}`)).toEqual(ended);
    const other = await scene.expect<{ id: string }>('POST', '/knowledge-bases', { name: 'elsewhere' });
    const elsewhere = `/v1/knowledge-bases/${other.id}/syncs/${body.id}`;
    expect((await scene.stack.client.call('GET', elsewhere)).status).toBe(404);
  });

  it('writes at most about a megabyte of text while it locks the knowledge base', async () => {
    const source = await scene.aSource(base, { connector: 'upload', config: {} });
    const text = 'Refunds are paid within five days. '.repeat(700);
    const texts = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`policy-${n}`, `${text}${n}`]));
    await scene.putUploads(source, texts);
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { added: 120 } });
    const transactions = await scene.stack.query<{ characters: number }>(
      `select sum(length(t.body))::integer as characters from knowledge_texts t
        join knowledge_documents d on d.id = t.document_id where d.source_id = $1 group by t.xmin::text`,
      [source.split('/').at(-1)],
    );
    expect(transactions.length).toBeGreaterThanOrEqual(3);
    for (const { characters } of transactions) expect(characters).toBeLessThan(1_000_000 + 10 * text.length);
  });

  it('is cancelled: what it has brought stays, and the next one brings the rest', async () => {
    const source = await aSlowSource('cancelled');
    const { body: sync } = await begin(source);
    await runs(source, sync);
    await scene.expect('POST', `${source}/syncs/${sync.id}/cancel`);
    expect(await scene.ended(`${source}/syncs/${sync.id}`)).toMatchObject({
      status: 'cancelled',
      progress: { added: 1, deleted: 0 },
    });
    expect(await scene.source(source)).toMatchObject({ status: 'active', document_count: 1 });
    open();
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { added: 3, unchanged: 1 } });
  });

  it('pauses while the workspace is stopped, and continues after the resume', async () => {
    const source = await aSlowSource('stopped');
    const { body: sync } = await begin(source);
    await runs(source, sync);
    await scene.expect('POST', '/workspace/emergency-stop', {});
    await eventually(async () => expect(await look(source, sync)).toMatchObject({ status: 'queued' }));
    open();
    await scene.expect('POST', '/workspace/resume', {});
    expect(await scene.ended(`${source}/syncs/${sync.id}`)).toMatchObject({
      status: 'succeeded',
      progress: { seen: 4, failed: 0 },
    });
  });

  it('is begun by the schedule, when its time has come', async () => {
    scene.site.set('/scheduled', aPage('Scheduled', 'Now and then.'));
    const config = { start_urls: [`${scene.site.url}/scheduled`], schedule: 'daily' };
    const source = await scene.aSource(base, { connector: 'website', config });
    const { next_sync_at: next } = await scene.source(source);
    expect(next).toMatch(/T00:00:00\.000Z$/);
    expect(new Date(next!).getTime()).toBeGreaterThan(Date.now());
    const due = `update knowledge_sources set next_sync_at = now() - interval '1 minute' where id = $1`;
    await scene.stack.query(due, [source.split('/').at(-1)]);
    const fired = async (): Promise<SourceAnswer> => {
      const shown = await scene.source(source);
      expect(shown).toMatchObject({
        status: 'active',
        document_count: 1,
        next_sync_at: next,
        last_sync: { requested_by: null },
      });
      return shown;
    };
    await eventually(fired);
    expect((await scene.expect<{ data: unknown[] }>('GET', `${source}/syncs`)).data).toHaveLength(1);
    await scene.expect('PATCH', source, { schedule: { cron: '30 6 * * 1-5', timezone: 'Europe/Berlin' } });
    expect((await scene.source(source)).next_sync_at).toMatch(/T0[45]:30:00\.000Z$/);
    await scene.expect('PATCH', source, { schedule: 'manual' });
    expect(await scene.source(source)).toMatchObject({ next_sync_at: null });
  });

  it('says what its source is, also once that is not paused any more', async () => {
    const config = { start_urls: [`${scene.site.url}/nowhere`] };
    const source = await scene.aSource(base, { connector: 'website', config, schedule: 'daily' });
    const paused = { status: 'paused', next_sync_at: null };
    const change = (status: string) => scene.expect('PATCH', source, { status });
    const { next_sync_at } = await scene.source(source);
    expect(await change('paused')).toMatchObject(paused);
    expect(await change('active')).toMatchObject({ status: 'pending', next_sync_at });
    const { error } = await scene.sync(source);
    expect(await scene.source(source)).toMatchObject({ status: 'error', error });
    expect(await change('paused')).toMatchObject({ ...paused, error });
    expect(await change('active')).toMatchObject({ status: 'error', error, next_sync_at });
    scene.site.set('/nowhere', aPage('Somewhere', 'It is there.'));
    await change('paused');
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded' });
    expect(await change('active')).toMatchObject({ status: 'active', error: null });
  });

  it('tells subscribers how it ended', async () => {
    const types = async (source: string): Promise<[string, JsonObject][]> => {
      const text = `select type, data from events where data ->> 'source' = $1 order by id`;
      const events = await scene.stack.query<{ type: string; data: JsonObject }>(text, [source.split('/').at(-1)]);
      return events.map(({ type, data }) => [type, data]);
    };
    scene.site.set('/news', aPage('News', 'Some news.'));
    const source = await scene.aSource(base, {
      connector: 'website',
      config: { start_urls: [`${scene.site.url}/news`] },
    });
    const first = await scene.sync(source);
    scene.site.remove('/news');
    const second = await scene.sync(source);
    const expected = (sync: SyncAnswer) =>
      expect.objectContaining({ sync: sync.id, status: sync.status, knowledge_base: base, progress: sync.progress });
    expect(await types(source)).toEqual([
      ['source.sync_completed', expected(first)],
      ['source.sync_failed', expected(second)],
    ]);
  });

  it('ends with its source: nothing of a deleted one is found', async () => {
    const source = await aSlowSource('deleted');
    const { body: sync } = await begin(source);
    await runs(source, sync);
    const gone = await fetch(`${scene.stack.baseUrl}/v1${source}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${scene.stack.adminKey}` },
    });
    expect(gone.status).toBe(204);
    expect(await scene.titles(source)).toEqual([]);
    open();
    expect((await scene.stack.client.call('GET', `/v1${source}`)).status).toBe(404);
    expect((await scene.stack.client.call('GET', `/v1${source}/syncs/${sync.id}`)).status).toBe(404);
    const after = await scene.stack.query('select status from knowledge_syncs where id = $1', [sync.id]);
    expect(after).toEqual([{ status: 'cancelled' }]);
    expect(await scene.titles(source)).toEqual([]);
  });
});
