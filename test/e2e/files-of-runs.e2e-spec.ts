import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@app/kernel';
import { startApi, type TestApi } from '../support/api.js';
import type { ApiAnswer, CallOptions, TestTenant } from '../support/http-api.js';
import { McpAssistant } from '../support/mcp-assistant.js';

const DATA_DIR = join(tmpdir(), `aas-run-files-${randomBytes(6).toString('hex')}`);
const TEXT = 'total: 40';
const MAX_FILE_BYTES = 1024 * 1024;
const STEPS = [{ id: 'done', output: { ok: true } }];

describe('files as values of runs', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let agent: string;

  const call = (method: string, path: string, options: CallOptions = {}): Promise<ApiAnswer> =>
    api.call(method, `/v1${path}`, { key: tenant.adminKey, ...options });
  const upload = async (content = TEXT, key = tenant.adminKey): Promise<string> => {
    const headers = { 'Content-Type': 'text/plain' };
    const { status, body } = await api.call('POST', '/v1/files?filename=invoice.txt', { key, body: content, headers });
    expect(status).toBe(201);
    return body.id;
  };
  const create = async (definition: object): Promise<string> => {
    const { status, body } = await call('POST', '/agents', { body: { name: newId('agent').slice(4), ...definition } });
    expect([status, body.errors]).toEqual([201, undefined]);
    return body.id;
  };
  const start = (input: object, options: CallOptions = {}): Promise<ApiAnswer> =>
    call('POST', `/agents/${agent}/runs`, { ...options, body: { input } });
  const errorsOf = ({ status, body }: ApiAnswer) => [
    status,
    body.code,
    body.errors?.map(({ pointer }: { pointer: string }) => pointer),
  ];

  beforeAll(async () => {
    api = await startApi({
      env: { DATA_DIR, MAX_FILE_BYTES: String(MAX_FILE_BYTES), MAX_INPUT_BYTES: String(4 * MAX_FILE_BYTES) },
    });
  });
  beforeEach(async () => {
    tenant = await api.newTenant();
    agent = await create({
      description: 'Books an invoice.',
      expose: { mcp: { tool: 'book_invoice' } },
      input: {
        type: 'object',
        properties: {
          invoice: { title: 'Invoice', file: { accept: ['text/plain', 'application/pdf'], max: '1KiB' } },
          note: {},
        },
      },
      redact: { paths: ['input.note.secret'] },
      steps: STEPS,
    });
  });
  afterAll(async () => {
    await api.close();
    await rm(DATA_DIR, { recursive: true, force: true });
  });

  it('have the members of their row, whatever the caller sent', async () => {
    const id = await upload();
    const named = { file: id, filename: 'x.exe', bytes: 1, note: 'mine' };
    const { status, body } = await start({ invoice: named, note: { deep: [named] } });
    expect(status).toBe(202);
    const value = { file: id, filename: 'invoice.txt', content_type: 'text/plain', bytes: TEXT.length };
    expect(body.input.invoice).toEqual({ ...value, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(body.input.note.deep[0]).toMatchObject({ ...value, note: 'mine' });
    const file = (await call('GET', `/files/${id}`)).body;
    expect(file).toMatchObject({ runs: [body.id], expires_at: null, source: { type: 'upload' } });
    expect((await call('GET', `/files?run=${body.id}`)).body.data).toMatchObject([{ id }]);
    const places = (await call('GET', `/runs/${body.id}/files?order=asc`)).body.data;
    expect(places).toMatchObject([
      { file: { id }, step: null, path: 'input.invoice' },
      { file: { id }, step: null, path: 'input.note.deep.0' },
    ]);
  });

  it('are refused where the caller may not use them, all alike', async () => {
    const foreign = await upload('x', (await api.newTenant()).adminKey);
    const gone = await upload();
    expect((await call('DELETE', `/files/${gone}`)).status).toBe(204);
    const details = new Set<string>();
    const assistant = new McpAssistant(() => `${api.url}/v1/mcp`, tenant.adminKey);
    for (const file of [foreign, gone, newId('file')]) {
      const refused = await start({ invoice: { file }, note: [{ file }] });
      expect(errorsOf(refused)).toEqual([422, 'input_invalid', ['/input/invoice/file', '/input/note/0/file']]);
      const { result } = await assistant.call('book_invoice', { invoice: { file }, note: [{ file }] });
      const told = JSON.parse(result.content[0].text);
      expect([result.isError, told]).toMatchObject([
        true,
        { code: 'input_invalid', errors: [{ pointer: '/invoice/file' }, { pointer: '/note/0/file' }] },
      ]);
      for (const { detail } of [...refused.body.errors, ...told.errors]) details.add(detail);
    }
    const form = new FormData();
    form.append('input', JSON.stringify({ invoice: { file: foreign } }));
    const headers = { Authorization: `Bearer ${tenant.adminKey}` };
    const sent = await fetch(`${api.url}/v1/agents/${agent}/runs`, { method: 'POST', headers, body: form });
    expect([sent.status, await sent.json()]).toMatchObject([422, { errors: [{ pointer: '/input/invoice/file' }] }]);
    const draft = { name: 'draft', input: { type: 'object', properties: { doc: { file: {} } } }, steps: STEPS };
    const body = { definition: draft, input: { doc: { file: foreign } } };
    const drafted = await call('POST', '/definitions/runs', { body });
    expect(errorsOf(drafted)).toEqual([422, 'input_invalid', ['/input/doc/file']]);
    expect([details.size, (await call('GET', '/runs')).body.data]).toEqual([1, []]);
  });

  it('are at most 200 for a run, whether they are named or inline', async () => {
    const list = await create({
      input: { type: 'object', properties: { all: { type: 'array', items: { file: {} } } } },
      steps: STEPS,
    });
    const inline = Array.from({ length: 200 }, (_, at) => ({ text: String(at) }));
    const all = [...inline, { file: await upload() }];
    const refused = await call('POST', `/agents/${list}/runs`, { body: { input: { all } } });
    expect(errorsOf(refused)).toEqual([422, 'input_invalid', ['/input']]);
    expect((await call('GET', '/workspace')).body.files.count).toBe(1);
    const fits = await call('POST', `/agents/${list}/runs`, { body: { input: { all: all.slice(1) } } });
    expect([fits.status, (await call('GET', '/workspace')).body.files.count]).toEqual([202, 200]);
  });

  it('are stored together or not at all where the keyword gets inline content', async () => {
    const small = await api.newTenant();
    const list = await api.call('POST', '/v1/agents', {
      key: small.adminKey,
      body: { name: 'list', input: { type: 'object', properties: { all: { items: { file: {} } } } }, steps: STEPS },
    });
    const all = [{ text: 'fits' }, { text: 'x'.repeat(MAX_FILE_BYTES + 1) }];
    const path = `/v1/agents/${list.body.id}/runs`;
    const refused = await api.call('POST', path, { key: small.adminKey, body: { input: { all } } });
    expect([refused.status, refused.body.code]).toEqual([413, 'file_too_large']);
    expect((await api.call('GET', '/v1/workspace', { key: small.adminKey })).body.files.count).toBe(0);
  });

  it('must fit the keyword', async () => {
    const large = await upload('x'.repeat(1_025));
    expect(errorsOf(await start({ invoice: { file: large } }))).toEqual([422, 'input_invalid', ['/input/invoice']]);
    const html = await call('POST', '/files', { body: '<html></html>', headers: { 'Content-Type': 'text/html' } });
    const refused = await start({ invoice: { file: html.body.id } });
    expect(errorsOf(refused)).toEqual([422, 'input_invalid', ['/input/invoice']]);
    expect(refused.body.errors[0].detail).toContain('text/html');
    expect(errorsOf(await start({ invoice: 'invoice.pdf' }))).toEqual([422, 'input_invalid', ['/input/invoice']]);
  });

  it('are stored where the keyword gets inline content', async () => {
    const { status, body } = await start({
      invoice: { base64: Buffer.from(TEXT).toString('base64'), filename: '../../a.txt' },
      note: { base64: 'YQ==' },
    });
    expect(status).toBe(202);
    expect(body.input.note).toEqual({ base64: 'YQ==' });
    const { file } = body.input.invoice;
    expect(body.input.invoice).toMatchObject({ filename: 'a.txt', bytes: TEXT.length });
    const content = await fetch(`${api.url}/v1/files/${file}/content`, {
      headers: { Authorization: `Bearer ${tenant.adminKey}` },
    });
    expect(await content.text()).toBe(TEXT);
    const before = (await call('GET', '/workspace')).body.files.count;
    expect((await start({ invoice: { text: '<html></html>', filename: 'a.html' } })).status).toBe(422);
    expect((await call('GET', '/workspace')).body.files.count).toBe(before);
  });

  it('cannot be deleted while a run that has not ended refers to them, and can afterwards', async () => {
    const id = await upload();
    const { body: run } = await start({ invoice: { file: id } });
    const refused = await call('DELETE', `/files/${id}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'file_in_use']);
    expect((await call('POST', `/runs/${run.id}/cancel`)).status).toBe(200);
    const ended = (await call('GET', `/files/${id}`)).body;
    const days = (Date.parse(ended.expires_at) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    expect((await call('DELETE', `/files/${id}`)).status).toBe(204);
    expect((await call('GET', `/runs/${run.id}/files`)).body.data).toMatchObject([{ file: { status: 'deleted' } }]);
  });

  it('of runs are readable with runs:read, and redacted ones only for whoever asks and may reveal', async () => {
    const id = await upload();
    const viewer = await tenant.key('viewer');
    const run = await start({ note: { secret: { file: id } } });
    expect(run.status).toBe(202);
    const shown = (await call('GET', `/files/${id}`, { key: viewer })).body;
    expect(shown).toMatchObject({ filename: '[redacted]', declared_content_type: '[redacted]', sha256: '[redacted]' });
    for (const [key, query] of [
      [viewer, ''],
      [viewer, '?reveal=true'],
      [tenant.adminKey, ''],
    ] as const) {
      const { status, body } = await call('GET', `/files/${id}/content${query}`, { key });
      expect([status, body.code]).toEqual([403, 'insufficient_scope']);
    }
    expect((await call('POST', `/files/${id}/links`)).status).toBe(403);
    const places = `/runs/${run.body.id}/files`;
    const nameIn = async (query: string) => (await call('GET', places + query)).body.data[0].file.filename;
    expect([await nameIn(''), await nameIn('?reveal=true')]).toEqual(['[redacted]', 'invoice.txt']);
    expect((await call('GET', `${places}?reveal=true`, { key: viewer })).status).toBe(403);
    const revealed = await call('GET', `/files/${id}?reveal=true`);
    expect(revealed.body.filename).toBe('invoice.txt');
    const audit = await call('GET', '/audit-events?action=file.reveal');
    expect(audit.body.data).toMatchObject([{ target: id }, { target: id }]);
  });

  describe('sent with the start as a form', () => {
    const sendForm = async (parts: [string, string | Blob, string?][], key?: string): Promise<ApiAnswer> => {
      const body = new FormData();
      for (const [field, value, name] of parts) {
        if (typeof value === 'string') body.append(field, value);
        else body.append(field, value, name);
      }
      const headers = { Authorization: `Bearer ${tenant.adminKey}`, ...(key && { 'Idempotency-Key': key }) };
      const response = await fetch(`${api.url}/v1/agents/${agent}/runs`, { method: 'POST', headers, body });
      return { status: response.status, headers: response.headers, body: await response.json() };
    };
    const text = (content = TEXT): Blob => new Blob([content], { type: 'text/plain' });
    const count = async () => (await call('GET', '/workspace')).body.files.count;

    it('become members of the input, in any order of the parts', async () => {
      const { status, body } = await sendForm([
        ['invoice', text(), 'a.txt'],
        ['note[]', text('1'), '1.txt'],
        ['mode', 'test'],
        ['note[]', text('2'), '2.txt'],
        ['input', '{}'],
      ]);
      expect([status, body.errors]).toEqual([202, undefined]);
      expect(body).toMatchObject({ mode: 'test', input: { invoice: { filename: 'a.txt', bytes: TEXT.length } } });
      expect(body.input.note.map(({ filename }: { filename: string }) => filename)).toEqual(['1.txt', '2.txt']);
    });

    it('are sent in vain by a repetition', async () => {
      const parts: [string, string | Blob, string?][] = [['invoice', text(), 'a.txt']];
      const [first, again] = [await sendForm(parts, 'one'), await sendForm(parts, 'one')];
      expect(again.body.id).toBe(first.body.id);
      const other = await sendForm([['invoice', text('other'), 'a.txt']], 'one');
      expect([other.status, other.body.code, await count()]).toEqual([422, 'idempotency_key_reused', 1]);
    });

    it.each<[string, [string, string | Blob, string?][], number]>([
      [
        'twice',
        [
          ['invoice', text(), 'a'],
          ['invoice', text(), 'b'],
        ],
        400,
      ],
      [
        'beside the member',
        [
          ['invoice', text(), 'a'],
          ['input', '{"invoice": 1}'],
        ],
        400,
      ],
      [
        'with another text',
        [
          ['invoice', text(), 'a'],
          ['other', 'x'],
        ],
        400,
      ],
      ['of a wrong type', [['invoice', new Blob(['<html></html>'], { type: 'text/html' }), 'a.html']], 422],
    ])('stay nowhere if they are rejected: %s', async (_, parts, status) => {
      expect((await sendForm(parts)).status).toBe(status);
      expect(await count()).toBe(0);
    });
  });

  it('a definition with a keyword that combines rules is refused', async () => {
    const wrong = { type: 'object', properties: { scan: { file: {}, type: 'object' } } };
    const { status, body } = await call('POST', '/agents', { body: { name: 'wrong', input: wrong, steps: STEPS } });
    expect([status, body.code, body.errors[0].pointer]).toEqual([
      422,
      'definition_invalid',
      '/input/properties/scan/type',
    ]);
  });
});
