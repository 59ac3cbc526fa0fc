import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@app/kernel';
import { SyncScene } from '../support/sync-scene.js';

interface FileOfDocument {
  id: string;
  bytes: number;
}

/** Documents are stored like files, and are no files of the workspace. */
describe('the bytes of pushed documents', () => {
  let scene: SyncScene;
  let source: string;

  beforeAll(async () => {
    scene = await SyncScene.start();
    source = await scene.aSource(await scene.aBase('stored'), { connector: 'upload' });
  });
  afterAll(() => scene.stop());

  const raw = (method: string, path: string, body?: string, type = 'text/plain') =>
    fetch(`${scene.stack.baseUrl}/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${scene.stack.adminKey}`, 'Content-Type': type },
      ...(body !== undefined && { body }),
    });
  const push = async (name: string, text: string, to = source): Promise<void> => {
    const response = await raw('POST', `${to}/documents?name=${name}`, text);
    expect(response.status).toBe(202);
    const { id } = (await response.json()) as { id: string };
    await scene.ended(`${to}/syncs/${id}`);
  };
  const files = (of = source): Promise<FileOfDocument[]> =>
    scene.stack.query<FileOfDocument>(
      `select f.id, f.bytes::integer as bytes from knowledge_uploads u join files f on f.id = u.file_id
        where u.source_id = $1 and u.content is null order by u.key`,
      [of.split('/').at(-1)],
    );
  const rows = async (ids: readonly string[]): Promise<number> =>
    (await scene.stack.query('select 1 from files where id = any ($1)', [ids])).length;
  const usage = async (): Promise<JsonObject> => (await scene.expect<{ files: JsonObject }>('GET', '/workspace')).files;

  it('are outside of the quota and of every list, and no run can use them', async () => {
    const before = await usage();
    await push('a.txt', 'The first text.');
    const [file] = await files();
    expect(file).toMatchObject({ bytes: 15 });
    expect(await usage()).toEqual({ ...before, document_bytes: Number(before.document_bytes) + 15 });
    expect(await scene.text(source, 'a.txt')).toBe('The first text.');
    const { data } = await scene.expect<{ data: { id: string }[] }>('GET', '/files?limit=100');
    expect(data.map(({ id }) => id)).not.toContain(file!.id);
    for (const path of ['', '/content', '/text'])
      expect((await raw('GET', `/files/${file!.id}${path}`)).status).toBe(404);
    expect((await raw('DELETE', `/files/${file!.id}`)).status).toBe(404);
    const copy = JSON.stringify({ file: file!.id });
    const copied = await raw('POST', `${source}/documents`, copy, 'application/json');
    expect([copied.status, await copied.json()]).toMatchObject([422, { code: 'unknown_reference' }]);
  });

  it('are replaced with their document, and go with it', async () => {
    await push('b.txt', 'Old.');
    const old = await files();
    await push('b.txt', 'Newer.');
    const current = await files();
    const replaced = old.filter(({ id }) => !current.some((file) => file.id === id));
    expect(replaced).toMatchObject([{ bytes: 4 }]);
    expect(await rows(replaced.map(({ id }) => id))).toBe(0);
    expect(await scene.text(source, 'b.txt')).toBe('Newer.');
    expect((await raw('DELETE', `${source}/documents?name=b.txt`)).status).toBe(204);
    expect(await files()).toHaveLength(current.length - 1);
    expect(await rows(current.map(({ id }) => id))).toBe(current.length - 1);
  });

  it('go with their source, and with their knowledge base', async () => {
    const base = await scene.aBase('gone');
    const [one, two] = [
      await scene.aSource(base, { connector: 'upload' }),
      await scene.aSource(base, { connector: 'upload' }),
    ];
    await push('a.txt', 'One.', one);
    await push('b.txt', 'Two.', two);
    const ids = [...(await files(one)), ...(await files(two))].map(({ id }) => id);
    expect(await rows(ids)).toBe(2);
    expect((await raw('DELETE', one)).status).toBe(204);
    expect(await rows(ids)).toBe(1);
    expect((await raw('DELETE', `/knowledge-bases/${base}`)).status).toBe(204);
    expect(await rows(ids)).toBe(0);
  });

  it('are dropped if the push is a repetition', async () => {
    const send = () =>
      fetch(`${scene.stack.baseUrl}/v1${source}/documents?name=once.txt`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${scene.stack.adminKey}`,
          'Content-Type': 'text/plain',
          'Idempotency-Key': `once-${source}`,
        },
        body: 'Only once.',
      });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(await second.json()).toMatchObject({ id: ((await first.json()) as { id: string }).id });
    const named = await scene.stack.query(`select 1 from files where filename = 'once.txt' and source = 'document'`);
    expect(named).toHaveLength(1);
  });

  it('arrive as a stream of any length up to the limit, which is counted while they arrive', async () => {
    const piece = randomBytes(750_000).toString('base64');
    const stream = (pieces: number): ReadableStream<Uint8Array> =>
      ReadableStream.from(Array.from({ length: pieces }, () => Buffer.from(piece)));
    const send = (pieces: number): Promise<Response> =>
      fetch(`${scene.stack.baseUrl}/v1${source}/documents?name=long.txt`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${scene.stack.adminKey}`, 'Content-Type': 'text/plain' },
        body: stream(pieces),
        ...{ duplex: 'half' },
      });
    const before = await files();
    const refused = await send(60);
    expect([refused.status, await refused.json()]).toMatchObject([413, { code: 'payload_too_large' }]);
    expect(await files()).toEqual(before);
    expect((await send(3)).status).toBe(202);
    expect((await files()).map(({ bytes }) => bytes)).toContain(3_000_000);
  });
});
