import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { startApi, type TestApi } from '../support/api.js';

const DATA_DIR = join(tmpdir(), `aas-two-apis-${randomBytes(6).toString('hex')}`);
const CONTENT = randomBytes(200_000);

describe('files of two api processes with one storage', () => {
  let database: TestDatabase;
  let apis: TestApi[];
  let key: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    const env = { DATA_DIR, WORKSPACE_FILE_BYTES: '500000', ENCRYPTION_KEY: randomBytes(32).toString('hex') };
    apis = [await startApi({ databaseUrl: database.url, env }), await startApi({ databaseUrl: database.url, env })];
    key = (await apis[0]!.newTenant()).adminKey;
  });
  afterAll(async () => {
    await Promise.all(apis.map((api) => api.close()));
    await database.drop();
    await rm(DATA_DIR, { recursive: true, force: true });
  });

  const request = (which: 0 | 1, method: string, path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${apis[which]?.url}/v1/files${path}`, {
      method,
      ...init,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/octet-stream', ...init.headers },
    });
  const upload = (which: 0 | 1, idempotencyKey: string): Promise<Response> =>
    request(which, 'POST', '', {
      body: new Uint8Array(CONTENT),
      headers: { 'Idempotency-Key': idempotencyKey },
    });
  const remove = async (id: string) => expect((await request(1, 'DELETE', `/${id}`)).status).toBe(204);

  it('are read, opened by a link and deleted by either', async () => {
    const { id } = (await (await upload(0, 'one')).json()) as { id: string };
    const again = (await (await upload(1, 'one')).json()) as { id: string };
    expect(again.id).toBe(id);
    const whole = await request(1, 'GET', `/${id}/content`);
    expect(Buffer.from(await whole.arrayBuffer()).equals(CONTENT)).toBe(true);
    const headers = { 'Content-Type': 'application/json' };
    const link = await request(0, 'POST', `/${id}/links`, { headers, body: '{"once": true}' });
    const { pathname } = new URL(((await link.json()) as { url: string }).url);
    const opened = await Promise.all(apis.map(({ url }) => fetch(url + pathname)));
    expect(opened.map(({ status }) => status).sort()).toEqual([200, 404]);
    await Promise.all(opened.map((response) => response.arrayBuffer()));
    await remove(id);
    expect((await request(0, 'GET', `/${id}/content`)).status).toBe(410);
  });

  it('never exceed the quota of the workspace together', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
    const uploads = await Promise.all(keys.map((name, at) => upload(at % 2 === 0 ? 0 : 1, name)));
    const accepted = uploads.filter(({ status }) => status === 201);
    expect(uploads.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429, 429, 429]);
    for (const response of accepted) await remove(((await response.json()) as { id: string }).id);
  });
});
