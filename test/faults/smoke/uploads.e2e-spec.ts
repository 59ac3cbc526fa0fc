import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isId } from '@app/kernel';

import { eventually } from '../../support/eventually.js';
import { FaultScene, PATIENT, RECOVERY } from '../fault-scene.js';
import { preloading } from '../preloading.js';

const HALF = randomBytes(200_000);

describe('files while an api is killed', () => {
  let scene: FaultScene;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'aas-uploads-'));
    scene = await FaultScene.start({ env: preloading('hurry.mjs', { ...PATIENT, DATA_DIR: dataDir }) });
  });
  afterAll(async () => {
    await scene.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const folder = () => join(dataDir, 'files');
  /** The api makes the folder with the first file or the marker. */
  const stored = async () =>
    (await readdir(folder()).catch((): string[] => [])).filter((name) => isId('file', name)).sort();
  const ready = async () =>
    (await scene.query<{ id: string }>(`select id from files where status = 'ready' order by id`)).map(({ id }) => id);

  async function request(method: string, path: string, headers: object = {}, body?: Buffer): Promise<Response> {
    return fetch(`${scene.stack.baseUrl}/v1/files${path}`, {
      method,
      headers: { Authorization: `Bearer ${scene.stack.adminKey}`, ...headers },
      ...(body && { body: new Uint8Array(body) }),
    });
  }
  const upload = async (content: Buffer, key: string): Promise<{ id: string; sha256: string }> => {
    const response = await request('POST', '', { 'Idempotency-Key': key }, content);
    expect(response.status).toBe(201);
    return (await response.json()) as { id: string; sha256: string };
  };
  const putFixture = (content: Buffer): Promise<Response> =>
    fetch(`${scene.stack.baseUrl}/v1/fixtures/order.bin`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${scene.stack.adminKey}` },
      body: new Uint8Array(content),
    });
  const restart = async (): Promise<void> => {
    await scene.stack.api.kill();
    await scene.stack.restartApi();
  };

  /** Makes all stored bytes a day old, and lets a worker sweep. Afterwards, exactly the files with a row have bytes. */
  async function sweep(): Promise<void> {
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    for (const name of await stored()) await utimes(join(folder(), name), yesterday, yesterday);
    await scene.hourly(async () => expect(await stored()).toEqual(await ready()));
  }

  it.each(['POST /v1/files', 'PUT /v1/fixtures/half.bin'])(
    'leave bytes without a row if the body of %s is still arriving, until the sweep',
    (operation) =>
      scene.scenario(async () => {
        const before = { stored: await stored(), ready: await ready() };
        const { hostname, port } = new URL(scene.stack.baseUrl);
        const socket = connect(Number(port), hostname);
        await once(socket, 'connect');
        socket.on('error', () => undefined);
        const head = `${operation} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${scene.stack.adminKey}\r\nContent-Length: 400000\r\n\r\n`;
        socket.write(head);
        socket.write(HALF);
        await eventually(async () => expect(await stored()).toHaveLength(before.stored.length + 1), RECOVERY);
        await restart();
        expect(await ready()).toEqual(before.ready);
        await sweep();
        expect(await stored()).toEqual(before.stored);
      }),
  );

  it.each(['request', 'answer'] as const)(
    'exist once if the %s of the commit is lost and the upload repeated',
    (withhold) =>
      scene.scenario(async () => {
        const content = randomBytes(300_000);
        const commit = scene.network.trap({ statement: 'COMMIT', application: 'api', withhold });
        const first = upload(content, `commit-${withhold}`).catch(() => 'killed');
        await commit.sprung;
        const committed = (await ready()).length;
        await scene.stack.api.kill();
        expect(await first).toBe('killed');
        commit.cut();
        await scene.stack.restartApi();
        const again = await upload(content, `commit-${withhold}`);
        expect(again.sha256).toBe(createHash('sha256').update(content).digest('hex'));
        expect((await ready()).length).toBe(withhold === 'answer' ? committed : committed + 1);
        await sweep();
        const body = await (await request('GET', `/${again.id}/content`)).arrayBuffer();
        expect(Buffer.from(body).equals(content)).toBe(true);
      }),
  );

  it.each([
    ['request', 'killed'],
    ['answer', 'killed'],
    ['request', 'cut off from the database'],
    ['answer', 'cut off from the database'],
  ] as const)('of a fixture are complete if the %s of the commit is lost with the api %s', (withhold, fault) =>
    scene.scenario(async () => {
      expect((await putFixture(randomBytes(1_000))).ok).toBe(true);
      const content = randomBytes(300_000);
      const commit = scene.network.trap({ statement: 'COMMIT', application: 'api', withhold });
      const first = putFixture(content).then(
        ({ status }) => status,
        () => 'killed',
      );
      await commit.sprung;
      if (fault === 'killed') await scene.stack.api.kill();
      commit.cut();
      expect(await first).toBe(fault === 'killed' ? 'killed' : 503);
      if (fault === 'killed') await scene.stack.restartApi();
      await sweep();
      const again = await eventually(async () => {
        const response = await putFixture(content);
        expect(response.status).toBe(200);
        return (await response.json()) as { file: { id: string } };
      }, RECOVERY);
      await sweep();
      const body = await (await request('GET', `/${again.file.id}/content`)).arrayBuffer();
      expect(Buffer.from(body).equals(content)).toBe(true);
      const fixtures = await scene.query('select file_id as id from fixtures');
      expect(fixtures).toEqual([{ id: again.file.id }]);
    }),
  );

  it('cannot be read after their deletion has committed, and their bytes go with the sweep', () =>
    scene.scenario(async () => {
      const file = await upload(randomBytes(1_000), 'deleted');
      const commit = scene.network.trap({ statement: 'COMMIT', application: 'api', withhold: 'answer' });
      const deletion = request('DELETE', `/${file.id}`).catch(() => 'killed');
      await commit.sprung;
      await scene.stack.api.kill();
      expect(await deletion).toBe('killed');
      commit.cut();
      await scene.stack.restartApi();
      expect(await stored()).toContain(file.id);
      expect((await request('GET', `/${file.id}/content`)).status).toBe(410);
      // Nobody can decrypt the bytes any more, because the row has lost their key.
      const [row] = await scene.query('select status, key from files where id = $1', [file.id]);
      expect(row).toEqual({ status: 'deleted', key: null });
      await sweep();
      expect(await stored()).not.toContain(file.id);
    }));

  it.each(['request', 'answer'] as const)(
    'are complete for a document of a knowledge base if the %s of the commit is lost and the push repeated',
    (withhold) =>
      scene.scenario(async () => {
        const base = await scene.stack.client.expect<{ id: string }>('POST', '/v1/knowledge-bases', {
          name: `pushed-${withhold}`,
        });
        const sources = `/v1/knowledge-bases/${base.id}/sources`;
        const { id } = await scene.stack.client.expect<{ id: string }>('POST', sources, { connector: 'upload' });
        const push = async (): Promise<number> => {
          const response = await fetch(`${scene.stack.baseUrl}${sources}/${id}/documents?name=a.txt`, {
            method: 'POST',
            headers: {
              Authorization: `Bearer ${scene.stack.adminKey}`,
              'Content-Type': 'text/plain',
              'Idempotency-Key': `push-${withhold}`,
            },
            body: 'Kept whole.',
          });
          return response.status;
        };
        const commit = scene.network.trap({ statement: 'COMMIT', application: 'api', withhold });
        const first = push().catch(() => 'killed');
        await commit.sprung;
        await scene.stack.api.kill();
        expect(await first).toBe('killed');
        commit.cut();
        await scene.stack.restartApi();
        expect(await push()).toBe(202);
        await sweep();
        const text = 'select file_id as "fileId" from knowledge_uploads where source_id = $1';
        const [upload] = await scene.query<{ fileId: string }>(text, [id]);
        expect(await stored()).toContain(upload?.fileId);
      }),
  );
});
