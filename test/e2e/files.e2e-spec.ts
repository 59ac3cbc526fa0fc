import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileSweepService } from '@app/files';
import { newId } from '@app/kernel';
import { startApi, type TestApi } from '../support/api.js';
import type { ApiAnswer, CallOptions, TestTenant } from '../support/http-api.js';
import { eventually } from '../support/eventually.js';

const MIB = 1024 * 1024;
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
const DATA_DIR = join(tmpdir(), `aas-files-${randomBytes(6).toString('hex')}`);
const FOLDER = join(DATA_DIR, 'files');

describe('files over HTTP', () => {
  let api: TestApi;
  let tenant: TestTenant;

  beforeAll(async () => {
    api = await startApi({ env: { DATA_DIR, MAX_FILE_BYTES: String(MIB), WORKSPACE_FILE_BYTES: String(3 * MIB) } });
  });
  beforeEach(async () => {
    tenant = await api.newTenant();
  });
  afterAll(async () => {
    await api.close();
    await rm(DATA_DIR, { recursive: true, force: true });
  });

  const call = (method: string, path: string, options: CallOptions = {}): Promise<ApiAnswer> =>
    api.call(method, `/v1${path}`, { key: tenant.adminKey, ...options });

  async function send(
    body: Buffer | string | FormData | ReadableStream,
    { path = '/files', key = tenant.adminKey, headers = {} }: { path?: string } & CallOptions = {},
  ): Promise<ApiAnswer> {
    const response = await fetch(`${api.url}/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, ...headers },
      body: Buffer.isBuffer(body) ? new Uint8Array(body) : body,
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  const download = async (id: string, headers: Record<string, string> = {}, method = 'GET') => {
    const response = await fetch(`${api.url}/v1/files/${id}/content`, {
      method,
      headers: { Authorization: `Bearer ${tenant.adminKey}`, ...headers },
    });
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  };

  const form = (...parts: [field: string, name: string, type: string, bytes: Buffer][]): FormData => {
    const data = new FormData();
    for (const [field, name, type, bytes] of parts)
      data.append(field, new Blob([new Uint8Array(bytes)], { type }), name);
    return data;
  };

  const stored = async (): Promise<string[]> =>
    (await readdir(FOLDER)).filter((name) => name !== 'installation').sort();
  const usage = async () => (await call('GET', '/workspace')).body.files;

  it('are stored, described, listed and sent back byte by byte', async () => {
    const content = randomBytes(300_000);
    const before = Date.now();
    const sent = await send(content, {
      path: '/files?filename=..%2F..%2Fa%0D%0Ab.pdf',
      headers: { 'Content-Type': 'application/pdf; x=1' },
    });
    const file = sent.body;
    expect(sent.status).toBe(201);
    expect(sent.headers.get('location')).toBe(`/v1/files/${file.id}`);
    expect(file).toEqual({
      id: expect.stringMatching(/^file_[0-9a-z]{26}$/),
      filename: 'ab.pdf',
      content_type: 'application/octet-stream',
      declared_content_type: 'application/pdf',
      bytes: 300_000,
      sha256: createHash('sha256').update(content).digest('hex'),
      status: 'ready',
      source: { type: 'upload' },
      runs: [],
      expires_at: expect.any(String),
      created_at: expect.any(String),
      created_by: 'admin@example.com',
    });
    const hours = (Date.parse(file.expires_at) - before) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    expect((await call('GET', `/files/${file.id}`)).body).toEqual(file);
    expect((await call('GET', '/files?source=upload&since=2026-01-01T00:00:00Z')).body).toEqual({ data: [file] });
    expect((await call('GET', '/files?source=email')).body).toEqual({ data: [] });
    expect((await download(file.id)).bytes.equals(content)).toBe(true);
    const onDisk = await readFile(join(FOLDER, file.id));
    expect(onDisk.includes(content.subarray(0, 32))).toBe(false);
    expect(await usage()).toEqual({
      count: 1,
      bytes: 300_000,
      limit_bytes: 3 * MIB,
      missing: 0,
      fixture_bytes: 0,
      document_bytes: 0,
    });
  });

  it('come from a form with one part, and a name in the query wins', async () => {
    const one = await send(form(['file', 'C:\\x\\a.html', 'text/html', PNG]));
    expect(one.body).toMatchObject({
      filename: 'a.html',
      content_type: 'image/png',
      declared_content_type: 'text/html',
    });
    const named = await send(form(['file', 'a.csv', 'text/csv', Buffer.from('a,b')]), {
      path: '/files?filename=b.txt',
    });
    expect(named.body).toMatchObject({ filename: 'b.txt', content_type: 'text/csv', bytes: 3 });
    const kept = await stored();
    for (const refused of [form(['other', 'a', '', PNG]), form(['file', 'a', '', PNG], ['file', 'b', '', PNG]), form()])
      expect(await send(refused)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    const text = form(['file', 'a', '', PNG]);
    text.append('note', 'x');
    expect((await send(text)).status).toBe(400);
    expect(await stored()).toEqual(kept);
  });

  it('have a text if their type has one, cut after a number of characters', async () => {
    const text = async (body: Buffer, name: string, query = '') => {
      const { id } = (await send(body, { path: `/files?filename=${name}` })).body;
      return call('GET', `/files/${id}/text${query}`);
    };
    const bike = Buffer.from('ab🚲d\r\n');
    expect(await text(bike, 'a.txt')).toMatchObject({
      status: 200,
      body: { text: 'ab🚲d', pages: null, truncated: false },
    });
    expect((await text(bike, 'a.md', '?max_chars=3&pages=2')).body).toEqual({
      text: 'ab',
      pages: null,
      truncated: true,
    });
    expect((await text(Buffer.alloc(0), 'a.txt')).body).toEqual({ text: '', pages: null, truncated: false });
    expect(await text(PNG, 'a.txt')).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    for (const query of ['?pages=0', '?pages=3-1', '?pages=1,', '?max_chars=0', '?max_chars=1000001'])
      expect(await text(bike, 'a.txt', query)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('may be empty, and may come without a length', async () => {
    const { body: empty } = await send('', { headers: { 'Content-Type': 'text/csv' } });
    expect(empty).toMatchObject({ filename: 'file', content_type: 'text/csv', bytes: 0 });
    expect(await download(empty.id)).toMatchObject({ status: 200, bytes: Buffer.alloc(0) });
    const stream = new Blob([new Uint8Array(MIB)]).stream();
    expect((await send(stream)).body).toMatchObject({ bytes: MIB });
  });

  it('that are too large, or encoded, leave nothing', async () => {
    const before = await stored();
    const tooLarge = { status: 413, body: { code: 'file_too_large', limit_bytes: MIB } };
    expect(await send(Buffer.alloc(MIB + 1))).toMatchObject(tooLarge);
    expect(await send(new Blob([new Uint8Array(MIB + 1)]).stream())).toMatchObject(tooLarge);
    expect(await send(form(['file', 'a', '', Buffer.alloc(MIB + 1)]))).toMatchObject(tooLarge);
    expect(await send('x', { headers: { 'Content-Encoding': 'gzip' } })).toMatchObject({ status: 415 });
    for (const expires of ['0m', '31d', '30s', 'x'])
      expect((await send('x', { path: `/files?expires_in=${expires}` })).body).toMatchObject({
        code: 'invalid_request',
        errors: [{ parameter: 'expires_in' }],
      });
    expect(await stored()).toEqual(before);
    expect(await usage()).toMatchObject({ count: 0, bytes: 0 });
  });

  it('whose connection breaks leave nothing', async () => {
    const before = await stored();
    const broken = new Promise<void>((resolve) => {
      const { port } = new URL(api.url);
      const headers = { Authorization: `Bearer ${tenant.adminKey}`, 'Content-Length': '500000' };
      const sending = httpRequest({ host: '127.0.0.1', port, path: '/v1/files', method: 'POST', headers });
      sending.on('error', () => undefined).on('close', resolve);
      sending.write(Buffer.alloc(200_000), () => sending.destroy());
    });
    await broken;
    await eventuallyEqual(stored, before);
    expect(await usage()).toMatchObject({ count: 0 });
  });

  it('never exceed the quota of a workspace, also when they arrive together', async () => {
    const uploads = await Promise.all(Array.from({ length: 6 }, () => send(Buffer.alloc(MIB - 1))));
    const accepted = uploads.filter(({ status }) => status === 201);
    expect(accepted).toHaveLength(3);
    for (const { status, body, headers } of uploads.filter((each) => each.status !== 201)) {
      expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'file_quota_exceeded', null]);
    }
    expect(await usage()).toMatchObject({ count: 3, bytes: 3 * MIB - 3 });
    // A file whose time is over makes room before the sweep.
    await api.execute(`update files set expires_at = now() - interval '1 s' where id = '${accepted[0]!.body.id}'`);
    expect((await send(Buffer.alloc(MIB))).status).toBe(201);
    expect(await usage()).toMatchObject({ count: 3 });
  });

  it('are uploaded once for an idempotency key', async () => {
    const headers = { 'Idempotency-Key': 'k-1', 'Content-Type': 'text/plain' };
    const first = await send(form(['file', 'a.txt', 'text/plain', Buffer.from('hello')]), {
      headers: { 'Idempotency-Key': 'k-1' },
    });
    const kept = await stored();
    const again = await send('hello', { path: '/files?filename=a.txt', headers });
    expect(again).toMatchObject({ status: 201, body: { id: first.body.id } });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await send('other', { path: '/files?filename=a.txt', headers })).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });
    expect(await stored()).toEqual(kept);
  });

  it('are sent in ranges, with their version, and never to be shown', async () => {
    const content = randomBytes(200_000);
    const { body: file } = await send(content, { path: '/files?filename=%C3%BC.svg' });
    const whole = await download(file.id);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      etag: `"${file.sha256}"`,
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'content-disposition': `attachment; filename="_.svg"; filename*=UTF-8''%C3%BC.svg`,
      'content-length': '200000',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-type': 'application/octet-stream',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
    const part = await download(file.id, { Range: 'bytes=65530-131080' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 65530-131080/200000']);
    expect(part.bytes.equals(content.subarray(65_530, 131_081))).toBe(true);
    const beyond = await download(file.id, { Range: 'bytes=200000-' });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */200000']);
    expect(JSON.parse(beyond.bytes.toString())).toMatchObject({ code: 'range_not_satisfiable' });
    expect(await download(file.id, { 'If-None-Match': `"${file.sha256}"` })).toMatchObject({ status: 304 });
    const head = await download(file.id, { Range: 'bytes=0-1' }, 'HEAD');
    expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([200, '200000', 0]);
    const { body: html } = await send(Buffer.from('<html><script>'), { path: '/files?filename=a.html' });
    expect(html.content_type).toBe('text/html');
    expect((await download(html.id)).headers.get('content-type')).toBe('application/octet-stream');
  });

  it('are no image because they are declared as one', async () => {
    const html = Buffer.from('<html><script>alert(1)</script></html>');
    const declared = { headers: { 'Content-Type': 'image/png' } };
    const input = { type: 'object', properties: { scan: { file: { accept: ['image/*'] } } } };
    const agent = await call('POST', '/agents', { body: { name: 'scans', input, steps: [{ id: 'r', output: {} }] } });
    for (const [sent, type, served] of [
      [await send(html, { path: '/files?filename=a.png', ...declared }), 'text/plain', /^text\/plain\b/],
      [await send(form(['file', 'a.html', 'image/png', html])), 'text/html', /^application\/octet-stream$/],
    ] as const) {
      const { id } = sent.body;
      expect(sent.body).toMatchObject({ content_type: type, declared_content_type: 'image/png' });
      const link = await call('POST', `/files/${id}/links`, { body: {} });
      const opened = await fetch(api.url + new URL(link.body.url).pathname);
      for (const { status, headers } of [await download(id), opened]) {
        expect([status, Object.fromEntries(headers)]).toMatchObject([
          200,
          {
            'content-disposition': expect.stringMatching(/^attachment;/),
            'content-security-policy': "sandbox; default-src 'none'",
            'content-type': expect.stringMatching(served),
            'x-content-type-options': 'nosniff',
          },
        ]);
      }
      const refused = await call('POST', `/agents/${agent.body.id}/runs`, { body: { input: { scan: { file: id } } } });
      expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/input/scan' }] } });
    }
  });

  it('are opened by a link without a key, until it expires, is revoked, or is spent', async () => {
    const { body: file } = await send(Buffer.from('linked'), { path: '/files?filename=a.txt' });
    const link = async (body: object = {}): Promise<string> => {
      const answer = await call('POST', `/files/${file.id}/links`, { body });
      expect([answer.status, answer.body]).toEqual([201, { url: expect.any(String), expires_at: expect.any(String) }]);
      return new URL(answer.body.url).pathname;
    };
    const open = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
      api.call(method, path, { headers });
    const path = await link();
    expect(path).toMatch(/^\/files\/[A-Za-z0-9_-]{43}$/);
    const opened = await open(path);
    expect([opened.status, opened.body, opened.headers.get('etag')]).toEqual([200, 'linked', `"${file.sha256}"`]);
    expect(opened.headers.get('cache-control')).toBe('private, no-store');
    expect(opened.headers.get('referrer-policy')).toBe('no-referrer');
    expect(opened.headers.get('content-disposition')).toContain('a.txt');
    expect(await open(path, 'GET', { Range: 'bytes=0-1' })).toMatchObject({ status: 206, body: 'li' });

    const once = await link({ once: true });
    expect((await open(once, 'HEAD')).status).toBe(200);
    const tries = await Promise.all(Array.from({ length: 4 }, () => open(once, 'GET', { Range: 'bytes=0-1' })));
    expect(tries.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    expect(tries.find(({ status }) => status === 200)?.body).toBe('linked');

    const expired = await link({ expires_in: '1m' });
    await api.execute(`update file_links set expires_at = now() where file_id = '${file.id}'`);
    const unknown = (await open(`/files/${'x'.repeat(43)}`)).body;
    const refused = async (which: string) =>
      expect({ ...(await open(which)).body, request_id: unknown.request_id }).toEqual(unknown);
    for (const each of [expired, path, once]) await refused(each);
    const revoked = await link();
    expect((await call('DELETE', `/files/${file.id}/links`)).status).toBe(204);
    await refused(revoked);
    const ofDeleted = await link();
    await call('DELETE', `/files/${file.id}`);
    await refused(ofDeleted);
    expect(await call('POST', `/files/${file.id}/links`)).toMatchObject({
      status: 410,
      body: { code: 'file_deleted' },
    });
    const logged = JSON.stringify(api.logged());
    expect(logged).toContain('/files/[redacted]');
    for (const each of [path, once, revoked]) expect(logged).not.toContain(each.slice('/files/'.length));
    const { body: audit } = await call('GET', '/audit-events?limit=100');
    const actions = audit.data.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(expect.arrayContaining(['file.link', 'file.links_revoke']));
  });

  it('are deleted with their bytes, and expire', async () => {
    const { body: file } = await send('secret');
    expect((await call('DELETE', `/files/${file.id}`)).status).toBe(204);
    expect((await call('DELETE', `/files/${file.id}`)).status).toBe(204);
    expect(await stored()).not.toContain(file.id);
    expect((await call('GET', `/files/${file.id}`)).body).toMatchObject({ status: 'deleted' });
    expect(await call('GET', `/files/${file.id}/content`)).toMatchObject({
      status: 410,
      body: { code: 'file_deleted' },
    });
    const { body: short } = await send('x', { path: '/files?expires_in=1m' });
    await api.execute(`update files set expires_at = now() where id = '${short.id}'`);
    expect((await call('GET', `/files/${short.id}`)).body).toMatchObject({ status: 'deleted' });
    expect(await call('GET', `/files/${short.id}/content`)).toMatchObject({
      status: 410,
      body: { code: 'file_deleted' },
    });
    expect((await call('GET', '/files')).body.data).toEqual([]);
    const { body: audit } = await call('GET', '/audit-events?order=asc');
    expect(audit.data.map(({ action, target }: Record<string, string>) => [action, target])).toEqual(
      expect.arrayContaining([
        ['file.upload', file.id],
        ['file.delete', file.id],
      ]),
    );
  });

  it('whose bytes are missing or changed are not sent', async () => {
    const missing = async () => (await call('GET', '/workspace')).body.files.missing as number;
    const { body: gone } = await send(randomBytes(100));
    const kept = await readFile(join(FOLDER, gone.id));
    await rm(join(FOLDER, gone.id));
    expect(await call('GET', `/files/${gone.id}/content`)).toMatchObject({
      status: 410,
      body: { code: 'file_missing' },
    });
    const { body: changed } = await send(randomBytes(100_000));
    const bytes = await readFile(join(FOLDER, changed.id));
    bytes[bytes.length - 1] = bytes[bytes.length - 1]! ^ 1;
    await writeFile(join(FOLDER, changed.id), bytes);
    await expect(download(changed.id)).rejects.toThrow();
    expect(await missing()).toBe(2);
    const logged = api.logged().filter(({ msg }) => msg === 'files: the bytes of a file are missing');
    expect(logged.map(({ fileId }) => fileId)).toEqual([gone.id, changed.id]);
    await writeFile(join(FOLDER, gone.id), kept);
    expect((await download(gone.id)).status).toBe(200);
    expect(await missing()).toBe(1);
    expect((await download(changed.id, { Range: 'bytes=0-9' })).status).toBe(206);
  });

  it('belong to their workspace', async () => {
    const { body: file } = await send('mine');
    const { adminKey: key } = await api.newTenant();
    for (const path of [`/files/${file.id}`, `/files/${file.id}/content`])
      expect(await call('GET', path, { key })).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await call('DELETE', `/files/${file.id}`, { key })).status).toBe(404);
    expect((await call('GET', '/files', { key })).body).toEqual({ data: [] });
    expect((await call('GET', '/files/file_x')).status).toBe(404);
    const viewer = await tenant.key('viewer');
    expect((await call('GET', `/files/${file.id}`, { key: viewer })).status).toBe(200);
    expect((await send('x', { key: viewer })).body).toMatchObject({ code: 'insufficient_scope' });
    expect((await send('x', { key: await tenant.key('operator', 'test') })).status).toBe(201);
  });

  it('of other members do not exist for a key that is narrowed to agents', async () => {
    const { body: file } = await send('of the admin');
    const agent = await call('POST', '/agents', { body: { name: 'a', steps: [{ id: 'a', output: 1 }] } });
    const member = await call('POST', '/members', { body: { email: 'eve@example.com', role: 'operator' } });
    const narrowed = { name: 'k', kind: 'live', role: 'operator', member: member.body.email, agents: [agent.body.id] };
    const { key } = (await call('POST', '/api-keys', { body: narrowed })).body;
    const { body: own } = await send('own', { key });
    expect((await call('GET', '/files', { key })).body.data.map(({ id }: { id: string }) => id)).toEqual([own.id]);
    expect((await call('GET', `/files/${own.id}/content`, { key })).body).toBe('own');
    for (const path of [`/files/${file.id}`, `/files/${file.id}/content`])
      expect((await call('GET', path, { key })).status).toBe(404);
    expect((await call('DELETE', `/files/${file.id}`, { key })).status).toBe(404);
    expect((await call('GET', `/files/${own.id}`)).status).toBe(200);
  });

  it('that a killed process left without a row are swept after a day', async () => {
    const sweep = api.app.get(FileSweepService, { strict: false });
    const { body: kept } = await send('kept');
    const { body: expired } = await send('expired');
    const [young, old] = [newId('file'), newId('file')];
    for (const name of [young, old, 'notes.txt']) await writeFile(join(FOLDER, name), 'x');
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    for (const name of [kept.id, old, 'notes.txt']) await utimes(join(FOLDER, name), yesterday, yesterday);
    await api.execute(`update files set expires_at = now() where id = '${expired.id}'`);
    await sweep.sweep();
    const names = await stored();
    expect(names).toEqual(expect.arrayContaining([kept.id, young, 'notes.txt']));
    for (const name of [old, expired.id]) expect(names).not.toContain(name);
    await api.execute(`update files set deleted_at = now() - interval '31 d' where id = '${expired.id}'`);
    await sweep.sweep();
    expect((await call('GET', `/files/${expired.id}`)).status).toBe(404);
  });
});

describe('uploads at the same time', () => {
  it('are limited in each process', async () => {
    const api = await startApi({ env: { MAX_CONCURRENT_UPLOADS: '1' } });
    try {
      const { adminKey } = await api.newTenant();
      const { port } = new URL(api.url);
      const headers = { Authorization: `Bearer ${adminKey}`, 'Content-Length': '10' };
      const slow = httpRequest({ host: '127.0.0.1', port, path: '/v1/files', method: 'POST', headers });
      const finished = new Promise<number | undefined>((resolve) =>
        slow.on('response', (response) => resolve(response.resume().statusCode)),
      );
      slow.write('12345');
      const refused = () => api.call('POST', '/v1/files', { key: adminKey, body: 'x' });
      await eventuallyEqual(async () => (await refused()).body.code, 'rate_limited');
      expect((await refused()).headers.get('retry-after')).toBe('1');
      slow.end('67890');
      expect(await finished).toBe(201);
      expect((await refused()).status).toBe(201);
    } finally {
      await api.close();
    }
  });
});

const eventuallyEqual = <T>(read: () => Promise<T>, expected: T) =>
  eventually(async () => expect(await read()).toEqual(expected));
