import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { aModelAgent } from '../support/model-agents.js';
import { ModelScene } from '../support/model-scene.js';
import { aPage, aPdf, redirect, SiteServer } from '../support/site-server.js';
import type { SyncAnswer } from '../support/sync-scene.js';

const PAGES = 200;
const DOCUMENTS = PAGES + 2;

interface Found {
  data: { document: { id: string; title: string; url: string } }[];
}

/**
 * Follows a web site from its first sync to the answer of an agent that cites it. The API and the workers are real. The
 * test kills one worker.
 */
describe('a knowledge base that is fed by a web site', () => {
  let stage: ModelScene;
  let site: SiteServer;
  let base: string;
  let source: string;

  beforeAll(async () => {
    site = await SiteServer.start();
    stage = await ModelScene.start();
    base = (await expectOk<{ id: string }>('POST', '/knowledge-bases', { name: 'site' })).id;
    publish();
    const path = `/knowledge-bases/${base}/sources`;
    const config = { start_urls: [`${site.url}/`] };
    source = `${path}/${(await expectOk<{ id: string }>('POST', path, { connector: 'website', config })).id}`;
  });
  afterAll(async () => {
    await stage.stop();
    await site.stop();
  });

  const expectOk = <Body>(method: string, path: string, body?: JsonObject): Promise<Body> =>
    stage.client.expect<Body>(method, `/v1${path}`, body);
  const search = async (query: string): Promise<Found['data']> =>
    (await expectOk<Found>('POST', `/knowledge-bases/${base}/search`, { query, top_k: 3 })).data;
  const progress = (id: string): Promise<SyncAnswer> => expectOk<SyncAnswer>('GET', `${source}/syncs/${id}`);
  const ended = (id: string): Promise<SyncAnswer> =>
    eventually(async () => {
      const sync = await progress(id);
      expect(['queued', 'running']).not.toContain(sync.status);
      return sync;
    });
  const begin = async (): Promise<string> => (await expectOk<SyncAnswer>('POST', `${source}/sync`)).id;

  /** Creates a page with a word that no other page contains. */
  function page(n: number, links: readonly string[] = []): ReturnType<typeof aPage> {
    return aPage(`Page ${n}`, `The quokka${n} is what page ${n} tells of.`, ['/', ...links]);
  }

  function publish(): void {
    const paths = Array.from({ length: PAGES }, (_, index) => `/page/${index + 1}`);
    site.set('/robots.txt', { body: 'User-agent: *\nDisallow: /private', type: 'text/plain' });
    site.set(
      '/',
      aPage('Start', 'Where it begins', ['/page/1', '/page/2', '/page/3', '/terms.pdf', '/private', '/old']),
    );
    site.set('/terms.pdf', aPdf('Refunds are paid within thirty days'));
    site.set('/private', aPage('Private', 'No visitor reads this'));
    site.set('/old', redirect('/page/1#top'));
    for (const [index, path] of paths.entries()) {
      const served = page(index + 1, paths.slice(index * 2 + 1, index * 2 + 12));
      site.set(path, served);
    }
  }

  it('loses nothing when its worker is killed in the middle of the first sync', async () => {
    site.slownessMillis = 50;
    const id = await begin();
    await eventually(async () => expect((await progress(id)).progress.seen).toBeGreaterThan(20));
    const [worker] = stage.scene.stack.workers.splice(0);
    await worker!.kill();
    expect(['queued', 'running']).toContain((await progress(id)).status);
    site.slownessMillis = 0;
    await stage.scene.stack.addWorker();
    const sync = await ended(id);
    expect(sync).toMatchObject({ status: 'succeeded', progress: { seen: DOCUMENTS, deleted: 0, failed: 0 } });
    expect(await expectOk('GET', source)).toMatchObject({ status: 'active', document_count: DOCUMENTS });
    expect(site.seen.map(({ path }) => path)).not.toContain('/private');
  });

  it('is searched, and cited by a run', async () => {
    const [first] = await search('quokka42');
    expect(first?.document).toMatchObject({ title: 'Page 42', url: `${site.url}/page/42` });
    const [terms] = await search('When are refunds paid?');
    expect(terms?.document.url).toBe(`${site.url}/terms.pdf`);
    const cited = `Within thirty days [${terms!.document.id}#0].`;
    stage.models.respondWith(
      { calls: [{ name: 'knowledge_search', input: { query: 'refunds paid' } }] },
      { text: cited },
    );
    const run = await asked('When are refunds paid?');
    expect(run).toMatchObject({ status: 'succeeded', output: { text: cited } });
    const { steps } = await stage.client.trace(run.id);
    const citation = expect.objectContaining({ document: expect.objectContaining({ id: terms!.document.id }) });
    expect(steps.filter(({ type }) => type === 'reasoning').at(-1)).toMatchObject({ citations: [citation] });
  });

  it('is brought in step again by what has changed alone, and what was deleted stops answering at once', async () => {
    expect((await search(`quokka${PAGES}`))[0]?.document.title).toBe(`Page ${PAGES}`);
    site.clearRequests();
    site.set('/page/7', aPage('Page 7', 'The wombat7 has taken its place.', ['/', '/page/new']));
    site.set('/page/new', aPage('New', 'What is new.'));
    site.remove(`/page/${PAGES}`);
    const sync = await ended(await begin());
    expect(sync).toMatchObject({
      status: 'succeeded',
      progress: { added: 1, updated: 1, deleted: 1, unchanged: DOCUMENTS - 2, failed: 0 },
    });
    const fetched = site.answered(200).filter((path) => path !== '/robots.txt');
    expect(fetched.sort()).toEqual(['/page/7', '/page/new']);
    const titles = async (query: string) => (await search(query)).map(({ document }) => document.title);
    expect(await titles(`quokka${PAGES}`)).not.toContain(`Page ${PAGES}`);
    expect(await titles('quokka7')).not.toContain('Page 7');
    expect(await titles('wombat7')).toEqual(['Page 7']);

    stage.models.respondWith(
      { calls: [{ name: 'knowledge_search', input: { query: `quokka${PAGES}` } }] },
      { text: 'I do not know.' },
    );
    const run = await asked(`What is quokka${PAGES}?`, 'optional');
    expect(run).toMatchObject({ status: 'succeeded' });
    expect(JSON.stringify(stage.models.requests.at(-1)?.messages)).not.toContain(`page ${PAGES} tells`);
  });

  async function asked(question: string, citations = 'required'): Promise<{ id: string; status: string }> {
    const definition = aModelAgent(stage.scene.ledger.url, { knowledge: [{ base: 'site', citations }] });
    const agent = await stage.client.createAgent(definition);
    const me = (await expectOk<{ member: string }>('GET', '/me')).member;
    await expectOk('PUT', `/knowledge-bases/${base}/access`, { agents: [agent], users: [me] });
    return stage.ended((await stage.client.startRun(agent, { question })).id);
  }
});
