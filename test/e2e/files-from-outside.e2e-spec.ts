import { createHash, randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@app/kernel';
import { startApi, type TestApi } from '../support/api.js';
import type { ApiAnswer, CallOptions, TestTenant } from '../support/http-api.js';

const DATA_DIR = join(tmpdir(), `aas-outside-files-${randomBytes(6).toString('hex')}`);
const LIMIT = 65_536;
const MIB = 1024 * 1024;
const STEPS = [{ id: 'done', output: { ok: true } }];
const CLOSED = { type: 'object', additionalProperties: false };
const ANY_FILE = { file: { accept: ['text/plain', 'application/octet-stream'] } };

type Part = [field: string, value: string | Blob, name?: string];

describe('files of webhook forms', () => {
  let api: TestApi;
  let tenant: TestTenant;

  beforeAll(async () => {
    const sizes = {
      MAX_INPUT_BYTES: String(LIMIT),
      MAX_FILE_BYTES: String(MIB),
      WORKSPACE_FILE_BYTES: String(3 * MIB),
    };
    api = await startApi({ env: { DATA_DIR, ...sizes } });
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
  const create = async (definition: object = {}): Promise<{ id: string; secret: string }> => {
    const body = { name: newId('agent').slice(4), steps: STEPS, ...definition };
    const created = await call('POST', '/agents', { body });
    expect([created.status, created.body.errors]).toEqual([201, undefined]);
    return { id: created.body.id, secret: created.body.webhook_secret };
  };
  const send = async (agent: { id: string; secret: string }, parts: readonly Part[], more = {}): Promise<ApiAnswer> => {
    const body = new FormData();
    for (const [field, value, name] of parts) {
      if (typeof value === 'string') body.append(field, value);
      else body.append(field, value, name);
    }
    const headers = { 'X-Service-Webhook-Secret': agent.secret, ...more };
    const response = await fetch(`${api.url}/v1/agents/${agent.id}/trigger`, { method: 'POST', headers, body });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const inputOf = async ({ status, body }: ApiAnswer) => {
    expect([status, body.errors]).toEqual([202, undefined]);
    return (await call('GET', `/runs/${body.run}`)).body.input;
  };
  const text = (content = 'a,b'): Blob => new Blob([content], { type: 'text/plain' });
  const count = async () => (await call('GET', '/workspace')).body.files.count;

  it('are files of the run, with their bytes as long as the form is small', async () => {
    const answer = await send(await create(), [
      ['title', 'Größe'],
      ['scan', text(), '../a.txt'],
    ]);
    const { title, scan } = await inputOf(answer);
    const base64 = Buffer.from('a,b').toString('base64');
    const file = expect.stringMatching(/^file_/);
    expect([title, scan]).toEqual(['Größe', { file, base64, filename: 'a.txt', content_type: 'text/plain' }]);
    const row = (await call('GET', `/files/${scan.file}`)).body;
    expect(row).toMatchObject({ source: { type: 'form' }, runs: [answer.body.run], created_by: null, bytes: 3 });
  });

  it('may be larger than an input, and the largest come without their bytes', async () => {
    const large = randomBytes(900_000);
    const answer = await send(await create(), [
      ['small', text(), 'a.txt'],
      ['large', new Blob([large]), 'b.bin'],
      ['last', text('z'), 'c.txt'],
    ]);
    const input = await inputOf(answer);
    expect(input).toMatchObject({ small: { base64: 'YSxi' }, large: { base64: null }, last: { base64: 'eg==' } });
    const sha256 = createHash('sha256').update(large).digest('hex');
    expect((await call('GET', `/files/${input.large.file}`)).body).toMatchObject({ sha256, bytes: large.length });
  });

  it('have the members of their row below the keyword `file`, and no new member where the schema is closed', async () => {
    const old = { ...CLOSED, properties: { base64: {}, filename: {}, content_type: {} } };
    const agent = await create({ input: { type: 'object', properties: { scan: ANY_FILE, old } } });
    const { scan, old: kept } = await inputOf(
      await send(agent, [
        ['scan', text(), 'a.txt'],
        ['old', text('x'), 'b.txt'],
      ]),
    );
    expect(Object.keys(scan).sort()).toEqual(['bytes', 'content_type', 'file', 'filename', 'sha256']);
    expect(kept).toEqual({ base64: 'eA==', filename: 'b.txt', content_type: 'text/plain' });
    // Nothing in the run names the second file any more.
    expect(await count()).toBe(1);
  });

  it('start one run if the delivery is repeated, whatever the ids of the files', async () => {
    const agent = await create();
    const key = { 'Idempotency-Key': 'one' };
    const first = await send(agent, [['scan', text(), 'a.txt']], key);
    const again = await send(agent, [['scan', text(), 'a.txt']], key);
    expect(again.body).toMatchObject({ run: first.body.run, duplicate: true });
    const other = await send(agent, [['scan', text('other'), 'a.txt']], key);
    expect([other.status, other.body.code, await count()]).toEqual([422, 'idempotency_key_reused', 1]);
  });

  it.each<[string, Part[], number, string]>([
    [
      'a file beyond its limit',
      [
        ['a', text(), 'a'],
        ['b', new Blob([Buffer.alloc(MIB + 1)]), 'b'],
      ],
      413,
      'file_too_large',
    ],
    [
      'fields beyond the input',
      [
        ['a', text(), 'a'],
        ['b', 'x'.repeat(LIMIT)],
      ],
      413,
      'payload_too_large',
    ],
    ['too many files', Array.from({ length: 201 }, (): Part => ['a', text(), 'a']), 413, 'payload_too_large'],
    ['a wrong type', [['scan', new Blob(['<html></html>'], { type: 'text/html' }), 'a.html']], 422, 'input_invalid'],
    [
      'an event that the filter ignores',
      [
        ['kind', 'other'],
        ['a', text(), 'a'],
      ],
      202,
      '',
    ],
  ])('stay nowhere after %s', async (_what, parts, status, code) => {
    const triggers = [{ id: 'hook', type: 'webhook', filter: '!has(body.kind)' }];
    const agent = await create({ triggers, input: { type: 'object', properties: { scan: ANY_FILE } } });
    const answer = await send(agent, parts);
    expect([answer.status, answer.body.code ?? '']).toEqual([status, code]);
    expect(await count()).toBe(0);
  });

  it('together never exceed the quota of the workspace', async () => {
    const agent = await create();
    const part = (name: string): Part => [name, new Blob([Buffer.alloc(800_000)]), name];
    const answer = await send(agent, ['a', 'b', 'c', 'd'].map(part));
    expect([answer.status, answer.body.code, await count()]).toEqual([429, 'file_quota_exceeded', 0]);
    expect((await send(agent, [part('a')])).status).toBe(202);
  });

  it('beyond an input need a sender that is known without the body', async () => {
    const parts: Part[] = [['a', new Blob([Buffer.alloc(LIMIT)]), 'a']];
    const { id } = await create({
      triggers: [{ id: 'hook', type: 'webhook', auth: { scheme: 'token', secret: '${{ secrets.hook }}' } }],
    });
    expect((await call('PUT', '/secrets/hook', { body: { value: 'proof-of-the-sender' } })).status).toBeLessThan(300);
    expect((await send({ id, secret: '' }, parts, { authorization: 'Bearer proof-of-the-sender' })).status).toBe(202);
    expect((await send({ id, secret: '' }, parts)).body.code).toBe('payload_too_large');
    expect((await send({ id, secret: '' }, parts, { 'X-Hub-Signature-256': 'sha256=00' })).body.code).toBe(
      'payload_too_large',
    );
  });

  it('that a text only names prove nothing', async () => {
    const { body: mine } = await call('POST', '/files', { body: 'mine', headers: { 'Content-Type': 'text/plain' } });
    const agent = await create({ input: { type: 'object', properties: { scan: ANY_FILE, note: {} } } });
    const webhook = (body: object) =>
      api.call('POST', `/v1/agents/${agent.id}/trigger`, {
        body,
        headers: { 'X-Service-Webhook-Secret': agent.secret },
      });
    const refused = await webhook({ scan: { file: mine.id } });
    expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
      422,
      'input_invalid',
      '/scan',
    ]);
    const plain = { file: mine.id, filename: 'x.exe' };
    const answer = await webhook({ note: plain });
    expect((await inputOf(answer)).note).toEqual(plain);
    expect((await call('GET', `/runs/${answer.body.run}/files`)).body.data).toEqual([]);
  });
});
