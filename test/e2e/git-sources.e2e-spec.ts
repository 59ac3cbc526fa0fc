import { GitHost } from '../support/git-server.js';
import { SyncScene } from '../support/sync-scene.js';

describe('sources of the connector git', () => {
  let scene: SyncScene;
  let host: GitHost;
  let base: string;

  beforeAll(async () => {
    [scene, host] = await Promise.all([SyncScene.start(), GitHost.start()]);
    base = await scene.aBase('git');
  });
  afterEach(() => {
    host.authorization = undefined;
    host.asked.length = 0;
  });
  afterAll(async () => {
    await scene.stop();
    await host.stop();
  });

  const aRepository = (config: object) => scene.aSource(base, { connector: 'git', config: { ...config } });

  it('bring the readable files of the branch, then only those that have changed, and delete what is gone', async () => {
    const url = await host.create('handbook');
    const pages = Object.fromEntries(
      Array.from({ length: 120 }, (_, n) => [`docs/deep/page-${n}.md`, `# Page ${n}\n\nWhat page ${n} says.`]),
    );
    await host.commit('handbook', {
      ...pages,
      'readme.txt': 'Hello.',
      'logo.png': '\x89PNG',
      'docs/gone.md': '# Gone',
    });
    await host.commit('handbook', { 'docs/page.html': '<title>A page</title><p>Words.' });
    const source = await aRepository({ url, web_url: 'https://git.example.com/handbook/blob/main/' });
    expect(await scene.sync(source)).toMatchObject({
      status: 'succeeded',
      progress: { seen: 123, added: 123, total: 123 },
    });
    expect(await scene.text(source, 'docs/deep/page-7.md')).toContain('What page 7 says.');
    expect(await scene.titles(source)).toEqual(expect.arrayContaining(['A page', 'Page 119', 'readme.txt']));
    const [row] = await scene.stack.query<{ url: string }>(
      `select url from knowledge_documents where key = 'docs/deep/page-7.md'`,
    );
    expect(row?.url).toBe('https://git.example.com/handbook/blob/main/docs/deep/page-7.md');

    await host.commit('handbook', {
      'docs/deep/page-7.md': '# Page 7\n\nSomething else.',
      'docs/gone.md': null,
      'new.md': '# New',
    });
    expect(await scene.sync(source)).toMatchObject({
      status: 'succeeded',
      progress: { added: 1, updated: 1, deleted: 1, unchanged: 121 },
    });
    expect(await scene.text(source, 'docs/deep/page-7.md')).toContain('Something else.');
    expect(await scene.titles(source)).not.toContain('Gone');

    await scene.expect('PATCH', source, { config: { web_url: 'https://mirror.example.com' } });
    expect(await scene.sync(source)).toMatchObject({ progress: { updated: 123, unchanged: 0 } });
    const moved = `select 1 from knowledge_documents where url = 'https://mirror.example.com/docs/deep/page-7.md'`;
    expect(await scene.stack.query(moved)).toHaveLength(1);
  });

  it('bring code, data and settings as they are, and name what they do not read', async () => {
    const url = await host.create('service');
    await host.commit('service', {
      'app.yaml': '# Not a heading\nname: shop\n',
      'package.json': '{"name": "shop"}',
      'src/main.py': '# Neither is this\nprint("hello")\n',
      Makefile: 'all:\n\techo done\n',
      'logo.png': '\x89PNG',
      'bin/tool': '\x7fELF',
      'vendor/skip.png': '\x89PNG',
    });
    const source = await aRepository({ url, exclude_paths: ['vendor/'] });
    expect(await scene.sync(source)).toMatchObject({
      status: 'succeeded',
      progress: { seen: 4, added: 4, failed: 0, total: 4 },
      skipped: {
        count: 2,
        items: [
          { key: 'bin/tool', code: 'unsupported_media_type', message: 'Files of this type are not read.' },
          { key: 'logo.png', code: 'unsupported_media_type', message: 'Files of the type .png are not read.' },
        ],
      },
    });
    expect(await scene.titles(source)).toEqual(expect.arrayContaining(['app.yaml', 'package.json', 'src/main.py']));
    expect(await scene.text(source, 'app.yaml')).toBe('```\n# Not a heading\nname: shop\n```');
    const [row] = await scene.stack.query<{ content_type: string; headings: string }>(
      `select d.content_type, string_agg(c.heading, '') as headings from knowledge_documents d
        join knowledge_chunks c on c.document_id = d.id where d.key = 'app.yaml' and d.title = 'app.yaml' group by 1`,
    );
    expect(row).toEqual({ content_type: 'application/yaml', headings: '' });
  });

  it('name symbolic links and submodules that they do not follow', async () => {
    const url = await host.create('linked');
    await host.commit('linked', { 'readme.md': '# Read me', 'vendor/notes.md': '# Notes' });
    await host.commitLinks('linked', { symbolicLink: 'docs/index.md', submodule: 'vendor/library' });
    const everything = await aRepository({ url });
    expect(await scene.sync(everything)).toMatchObject({
      status: 'succeeded',
      progress: { seen: 2, added: 2, failed: 0, total: 2 },
      skipped: {
        count: 2,
        items: [
          { key: 'docs/index.md', code: 'symbolic_link', message: expect.stringContaining('not followed') },
          { key: 'vendor/library', code: 'submodule', message: expect.stringContaining('not fetched') },
        ],
      },
    });
    const narrow = await aRepository({ url, exclude_paths: ['vendor/'] });
    expect(await scene.sync(narrow)).toMatchObject({ skipped: { count: 1, items: [{ key: 'docs/index.md' }] } });
  });

  it('are narrowed to a branch and to paths', async () => {
    const url = await host.create('branches');
    await host.commit('branches', { 'a.md': '# Of main', 'docs/b.md': '# B', 'docs/old/c.md': '# C' });
    await host.commit('branches', { 'docs/d.md': '# D', 'e.md': '# E' }, 'next');
    const narrow = await aRepository({ url, include_paths: ['docs/'], exclude_paths: ['docs/old'] });
    await scene.sync(narrow);
    expect(await scene.titles(narrow)).toEqual(['B']);
    const next = await aRepository({ url, branch: 'next' });
    await scene.sync(next);
    expect(await scene.titles(next)).toEqual(expect.arrayContaining(['D', 'E']));
  });

  it('are read with their credentials, and say what is wrong without deleting anything', async () => {
    const url = await host.create('private');
    await host.commit('private', { 'a.md': '# A' });
    host.authorization = `Basic ${Buffer.from('x-access-token:let-me-in').toString('base64')}`;
    await secret('GIT_TOKEN', 'let-me-in');
    const source = await aRepository({ url, auth: { secret: '${{ secrets.GIT_TOKEN }}' } });
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { added: 1 } });

    host.authorization = 'Basic changed';
    const refused = await scene.sync(source);
    expect(refused).toMatchObject({ status: 'failed', error: { code: 'access_denied' }, progress: { deleted: 0 } });
    expect(JSON.stringify(refused)).not.toContain('let-me-in');
    host.authorization = undefined;
    const wrong = [
      [{ branch: 'none' }, 'repository_missing'],
      [{ branch: null, url: `${host.url}/nothing` }, 'repository_missing'],
      [{ url: scene.site.url }, 'repository_missing'],
      [{ url: 'http://127.0.0.1:1/x' }, 'repository_unreachable'],
      [{ url: 'https://10.0.0.1/x' }, 'repository_unreachable'],
    ] as const;
    for (const [change, code] of wrong) {
      await scene.expect('PATCH', source, { config: change });
      expect(await scene.sync(source)).toMatchObject({ status: 'failed', error: { code }, progress: { deleted: 0 } });
    }
    expect(await scene.titles(source)).toEqual(['A']);
  });

  it('show no credential that the git server repeats', async () => {
    const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
    const echoes: Record<string, (credential: string) => string> = {
      text: (credential) => line(`You sent ${credential}\n`),
      json: (credential) => line(JSON.stringify({ sent: credential })),
      decoded: (credential) => line(`${Buffer.from(credential.slice('Basic '.length), 'base64').toString()}\n`),
    };
    await secret('GIT_TOKEN', 's3cr3t-git-token');
    for (const [name, echo] of Object.entries(echoes)) {
      scene.site.set(`/${name}/info/refs?service=git-upload-pack`, ({ headers }, response) => {
        response
          .writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
          .end(echo(headers.authorization ?? ''));
      });
      const url = `${scene.site.url}/${name}`;
      const source = await aRepository({ url, auth: { secret: '${{ secrets.GIT_TOKEN }}' } });
      const sync = await scene.sync(source);
      expect(sync).toMatchObject({ status: 'failed', error: { code: 'bad_answer' } });
      expect(sync.error?.message).toContain('[redacted]');
      const stored = await scene.stack.query('select * from knowledge_syncs where id = $1', [sync.id]);
      for (const shown of [JSON.stringify(sync), JSON.stringify(stored)]) {
        expect(shown).not.toContain('s3cr3t-git-token');
        expect(shown).not.toContain(Buffer.from('x-access-token:s3cr3t-git-token').toString('base64'));
      }
    }
  });

  it('are read where their repository has moved to, which does not get the credentials of another host', async () => {
    const other = await GitHost.start();
    try {
      const [old, renamed] = [`${host.url}/old`, await host.create('renamed')];
      await host.commit('renamed', { 'a.md': '# A' });
      host.authorization = `Basic ${Buffer.from('x-access-token:let-me-in').toString('base64')}`;
      host.moved.set('old', renamed);
      await secret('GIT_TOKEN', 'let-me-in');
      const source = await aRepository({ url: old, auth: { secret: '${{ secrets.GIT_TOKEN }}' } });
      expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { added: 1 } });

      const elsewhere = await other.create('elsewhere');
      await other.commit('elsewhere', { 'a.md': '# B' });
      host.moved.set('old', elsewhere);
      expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { updated: 1 } });
      expect(other.asked).toEqual([
        'GET /elsewhere/info/refs?service=git-upload-pack',
        'POST /elsewhere/git-upload-pack',
      ]);
      expect(other.credentials).toEqual([undefined, undefined]);

      for (const wrong of [old, 'https://10.0.0.1/x', `${host.url}/login?from=`]) {
        host.moved.set('old', wrong);
        expect(await scene.sync(source)).toMatchObject({ status: 'failed', progress: { deleted: 0 } });
      }
      expect(await scene.titles(source)).toEqual(['B']);
    } finally {
      host.authorization = undefined;
      host.moved.clear();
      await other.stop();
    }
  });

  const secret = (name: string, value: string) =>
    fetch(`${scene.stack.baseUrl}/v1/secrets/${name}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${scene.stack.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ value }),
    });
});
