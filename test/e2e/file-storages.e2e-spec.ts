import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileSweepService } from '@app/files';
import { isId, newId } from '@app/kernel';
import { startApi, type TestApi } from '../support/api.js';
import type { ApiAnswer, TestTenant } from '../support/http-api.js';
import { ClamdServer } from '../support/clamd-server.js';
import { S3Server } from '../support/s3-server.js';

const MIB = 1024 * 1024;

async function send(api: TestApi, key: string, bytes: Buffer): Promise<Pick<ApiAnswer, 'status' | 'body'>> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/octet-stream' };
  const response = await fetch(`${api.url}/v1/files`, { method: 'POST', headers, body: new Uint8Array(bytes) });
  return { status: response.status, body: await response.json() };
}

describe('files in a bucket of S3', () => {
  const before = { ...process.env };
  let s3: S3Server;
  let api: TestApi;
  let tenant: TestTenant;

  beforeAll(async () => {
    // The AWS SDK reads its credentials from the environment of the process.
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' });
    s3 = await S3Server.start();
    api = await startApi({ env: { ...s3.env, MAX_FILE_BYTES: String(16 * MIB) } });
    tenant = await api.newTenant();
  });
  afterAll(async () => {
    await api.close();
    await s3.close();
    process.env = before;
  });

  const download = async (id: string, headers: Record<string, string> = {}) => {
    const all = { Authorization: `Bearer ${tenant.adminKey}`, ...headers };
    const response = await fetch(`${api.url}/v1/files/${id}/content`, { headers: all });
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  };

  it.each([0, 100_000, 12 * MIB])('of %d bytes are stored encrypted, read in ranges, and deleted', async (size) => {
    const content = randomBytes(size);
    const { status, body: file } = await send(api, tenant.adminKey, content);
    expect([status, file.bytes]).toEqual([201, size]);
    expect([...s3.objects.keys()]).toEqual([`aas/${file.id}`]);
    if (size > 0) expect(s3.objects.get(`aas/${file.id}`)?.bytes.includes(content.subarray(0, 32))).toBe(false);
    expect((await download(file.id)).bytes.equals(content)).toBe(true);
    const part = await download(file.id, { Range: 'bytes=65530-65540' });
    expect(part).toMatchObject(size === 0 ? { status: 416 } : { status: 206, bytes: content.subarray(65_530, 65_541) });
    await api.call('DELETE', `/v1/files/${file.id}`, { key: tenant.adminKey });
    expect([...s3.objects.keys()]).toEqual([]);
    expect(s3.uploads.size).toBe(0);
  });

  it('leave nothing if S3 fails in the middle', async () => {
    s3.failingPart = 2;
    try {
      const failed = await send(api, tenant.adminKey, randomBytes(12 * MIB));
      expect(failed).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    } finally {
      s3.failingPart = undefined;
    }
    const body = new Blob([new Uint8Array(17 * MIB)]).stream();
    const headers = { Authorization: `Bearer ${tenant.adminKey}` };
    const init: RequestInit & { duplex: string } = { method: 'POST', headers, body, duplex: 'half' };
    const tooLarge = await fetch(`${api.url}/v1/files`, init);
    expect(await tooLarge.json()).toMatchObject({ code: 'file_too_large' });
    expect([s3.objects.size, s3.uploads.size]).toEqual([0, 0]);
  });

  it('are missing if the bucket has lost them', async () => {
    const { body: file } = await send(api, tenant.adminKey, Buffer.from('lost'));
    s3.objects.clear();
    const answer = await api.call('GET', `/v1/files/${file.id}/content`, { key: tenant.adminKey });
    expect(answer).toMatchObject({ status: 410, body: { code: 'file_missing' } });
  });

  it('that a killed process left are swept after a day, also incomplete uploads', async () => {
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    const orphan = `aas/${newId('file')}`;
    s3.objects.set(orphan, { bytes: Buffer.from('x'), modified: yesterday });
    s3.uploads.set('old', { key: orphan, parts: new Map(), initiated: yesterday });
    s3.uploads.set('young', { key: orphan, parts: new Map(), initiated: new Date() });
    await api.app.get(FileSweepService, { strict: false }).sweep();
    expect([...s3.objects.keys(), ...s3.uploads.keys()]).toEqual(['young']);
  });
});

describe('files with a scanner', () => {
  const DATA_DIR = join(tmpdir(), `aas-scan-${randomBytes(6).toString('hex')}`);
  let clamd: ClamdServer;
  let api: TestApi;
  let key: string;

  beforeAll(async () => {
    clamd = await ClamdServer.start();
    api = await startApi({ env: { DATA_DIR, FILE_SCAN: clamd.address } });
    key = (await api.newTenant()).adminKey;
  });
  afterAll(async () => {
    await api.close();
    await rm(DATA_DIR, { recursive: true, force: true });
  });

  const stored = async () => (await readdir(join(DATA_DIR, 'files'))).filter((name) => isId('file', name)).length;

  it('are stored only if it finds nothing, and only while it answers', async () => {
    expect(await send(api, key, randomBytes(80_000))).toMatchObject({ status: 201, body: { bytes: 80_000 } });
    expect(await send(api, key, Buffer.alloc(0))).toMatchObject({ status: 201 });
    const refused = { status: 422, body: { code: 'file_refused' } };
    expect(await send(api, key, Buffer.from('an EICAR test'))).toMatchObject(refused);
    // Longer than the scanner accepts.
    expect(await send(api, key, randomBytes(MIB))).toMatchObject(refused);
    await clamd.close();
    expect(await send(api, key, Buffer.from('x'))).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(await stored()).toBe(2);
  });
});
