import { createHash } from 'node:crypto';
import { type JsonObject, newId } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';

const CSV = 'id,total\n1,40\n';
const LATER = 'id,total\n1,90\n';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** It reads and makes files and asks for another, and returns the texts of all files that it has seen. */
const reader = (name: string): JsonObject => ({
  name,
  input: { type: 'object', required: ['orders'], properties: { orders: { file: { accept: ['text/csv'] } } } },
  tools: [
    {
      name: 'shop',
      type: 'http',
      base_url: 'https://shop.example',
      operations: [
        { name: 'export', method: 'GET', path: '/export', response: 'file' },
        { name: 'next', method: 'GET', path: '/next', response: 'file' },
      ],
    },
  ],
  steps: [
    { id: 'orders', tool: 'files.text', with: { file: '${{ input.orders }}' } },
    { id: 'export', tool: 'shop.export' },
    { id: 'exported', tool: 'files.text', with: { file: '${{ steps.export.output }}' } },
    { id: 'made', tool: 'files.create', with: { text: '${{ steps.exported.output.text }}', filename: 'made.txt' } },
    { id: 'read', tool: 'files.text', with: { file: '${{ steps.made.output }}' } },
    { id: 'next', tool: 'shop.next' },
    { id: 'following', tool: 'files.get', with: { file: '${{ steps.next.output }}' } },
    { id: 'form', ask: { title: 'Another?', to: ['desk'], form: { properties: { more: { file: {} } } } } },
    { id: 'answered', tool: 'files.base64', with: { file: '${{ steps.form.output.more }}' } },
    {
      id: 'result',
      output: {
        orders: '${{ steps.orders.output.text }}',
        exported: '${{ steps.exported.output.text }}',
        made: '${{ steps.read.output.text }}',
        next: '${{ steps.following.output.filename }}',
        answered: '${{ steps.answered.output.base64 }}',
      },
    },
  ],
  evaluation: {
    reads: 'mock',
    cases: [
      {
        name: 'reads all files',
        input: { orders: { fixture: 'orders.csv' } },
        mock: { 'shop.export': { fixture: 'orders.csv' } },
        mock_each: { 'shop.next': [{ output: { fixture: 'next.csv' } }] },
        answers: { form: { more: { fixture: 'next.csv' } } },
        assert: [
          { type: 'status', value: 'succeeded' },
          { type: 'equals', path: 'output.orders', value: CSV.trim() },
          { type: 'equals', path: 'output.exported', value: CSV.trim() },
          { type: 'equals', path: 'output.made', value: CSV.trim() },
          { type: 'equals', path: 'output.next', value: 'next.csv' },
          { type: 'equals', path: 'output.answered', value: Buffer.from('id\n').toString('base64') },
        ],
      },
    ],
    gate: {},
  },
});

interface Graded {
  case: string;
  status: string;
  trials: { error: string | null }[];
}

describe('fixtures of evaluations', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterAll(() => scene.stop());

  const call = <Body = JsonObject>(method: string, path: string, body?: JsonObject) =>
    scene.stack.client.call<Body>(method, `/v1${path}`, body);

  const put = async (name: string, content: string | ReadableStream, type = 'text/csv') => {
    const response = await fetch(`${scene.stack.baseUrl}/v1/fixtures/${name}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${scene.stack.adminKey}`, 'content-type': type },
      body: content,
      ...(typeof content !== 'string' && { duplex: 'half' }),
    });
    return {
      status: response.status,
      body: (await response.json()) as JsonObject & { file: JsonObject & { id: string } },
    };
  };
  const uploaded = async (content: string): Promise<{ id: string }> => {
    const response = await fetch(`${scene.stack.baseUrl}/v1/files?filename=orders.csv`, {
      method: 'POST',
      headers: { authorization: `Bearer ${scene.stack.adminKey}`, 'content-type': 'text/csv' },
      body: content,
    });
    return (await response.json()) as { id: string };
  };
  const fileOf = async (id: string) => (await call('GET', `/files/${id}`)).body;
  const bytes = async () => (await call<{ files: JsonObject }>('GET', '/workspace')).body.files;

  it('are set, replaced and deleted by name, outside of the quota', async () => {
    const before = await bytes();
    const first = await put('orders.csv', CSV);
    expect(first).toMatchObject({
      status: 201,
      body: { name: 'orders.csv', file: { filename: 'orders.csv', content_type: 'text/csv', sha256: sha256(CSV) } },
    });
    expect(first.body.file).toMatchObject({
      source: { type: 'fixture' },
      expires_at: null,
      created_by: 'admin@example.com',
    });
    const equal = await put('orders.csv', CSV);
    expect([equal.status, equal.body.file.id]).toEqual([200, first.body.file.id]);
    expect(await bytes()).toEqual({ ...before, fixture_bytes: CSV.length });
    expect((await call('DELETE', `/files/${first.body.file.id}`)).body).toMatchObject({ code: 'file_in_use' });

    const replaced = await put('orders.csv', LATER);
    expect(replaced.status).toBe(200);
    expect(await fileOf(first.body.file.id)).toMatchObject({ status: 'deleted' });
    expect((await call('GET', '/fixtures/orders.csv')).body).toEqual(replaced.body);
    expect((await call('GET', '/fixtures')).body).toEqual({ data: [replaced.body] });

    expect((await call('DELETE', '/fixtures/orders.csv')).status).toBe(204);
    expect((await call('DELETE', '/fixtures/orders.csv')).status).toBe(404);
    expect((await call('GET', '/fixtures/orders.csv')).status).toBe(404);
    expect(await fileOf(replaced.body.file.id)).toMatchObject({ status: 'deleted' });
    expect(await bytes()).toEqual(before);
    const audited = await call<{ data: JsonObject[] }>('GET', '/audit-events?order=asc');
    expect(audited.body.data.filter(({ target }) => target === 'orders.csv').map(({ action }) => action)).toEqual([
      'fixture.create',
      'fixture.update',
      'fixture.delete',
    ]);
  });

  it.each(['.hidden', 'a%2Fb', 'x'.repeat(129)])('have no name such as %s', async (name) => {
    expect(await put(name, CSV)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('have at most 500 MiB together, counted before the body and while it arrives', async () => {
    const { stack } = scene;
    const room = 10;
    const size = 500 * 1024 * 1024 - room;
    // Only the row counts, so the test needs no bytes of this size.
    const id = newId('file');
    await stack.query(
      `insert into files (id, workspace_id, filename, content_type, bytes, sha256, source, key, expires_at)
        values ($1, $2, 'huge.bin', 'application/octet-stream', $3, '', 'fixture', '\\x00', 'infinity')`,
      [id, stack.workspaceId, size],
    );
    await stack.query(`insert into fixtures (workspace_id, name, file_id) values ($1, 'huge.bin', $2)`, [
      stack.workspaceId,
      id,
    ]);
    const full = { status: 429, body: { code: 'file_quota_exceeded', limit_bytes: size + room } };
    expect(await put('more.csv', 'x'.repeat(room + 1))).toMatchObject(full);
    expect(await put('more.csv', new Blob(['x'.repeat(room + 1)]).stream())).toMatchObject(full);
    expect((await call('GET', '/fixtures/more.csv')).status).toBe(404);
    expect((await put('more.csv', 'x'.repeat(room))).status).toBe(201);
    expect(await bytes()).toMatchObject({ fixture_bytes: size + room });
    expect((await put('huge.bin', CSV)).status).toBe(200);
    expect(await bytes()).toMatchObject({ fixture_bytes: room + CSV.length });
    for (const name of ['more.csv', 'huge.bin']) expect((await call('DELETE', `/fixtures/${name}`)).status).toBe(204);
  });

  it('keep the bytes with which an evaluation began, and are read by the tool `files`', async () => {
    const workers = await scene.haveWorkers();
    await Promise.all(workers.map((worker) => worker.stop()));
    await put('orders.csv', CSV);
    await put('next.csv', 'id\n');
    const agent = await scene.stack.client.createAgent(reader('reader'));
    const { status, body } = await call<{ id: string }>('POST', `/agents/${agent}/versions/1/evaluate`);
    expect([status, body]).toEqual([
      202,
      expect.objectContaining({ fixtures: { 'orders.csv': sha256(CSV), 'next.csv': sha256('id\n') } }),
    ]);
    await put('orders.csv', LATER);
    expect((await call('DELETE', '/fixtures/next.csv')).status).toBe(204);
    await scene.haveWorkers();
    const evaluation = await eventually(async () => {
      const answer = await call('GET', `/evaluations/${body.id}`);
      expect(answer.body.ended_at).not.toBeNull();
      return answer.body;
    });
    expect(evaluation).toMatchObject({
      status: 'passed',
      fixtures: { 'orders.csv': sha256(CSV), 'next.csv': sha256('id\n') },
    });
  });

  it('are not the only files of a case: it may have inline content, and files that the caller may use, also as answers', async () => {
    const [{ id }, { id: other }] = [await uploaded(CSV), await uploaded(LATER)];
    await put('orders.csv', LATER);
    const assert = [
      { type: 'equals', path: 'output.orders', value: CSV.trim() },
      { type: 'equals', path: 'output.answered', value: Buffer.from(LATER).toString('base64') },
      { type: 'equals', path: 'output.name', value: 'orders.csv' },
    ];
    const inline = { base64: Buffer.from(CSV).toString('base64'), filename: 'a.csv' };
    const answer = (more: JsonObject) => ({ answers: { form: { more } } });
    const { input, steps = [] } = reader('inline');
    const agent = await scene.stack.client.createAgent({
      name: 'inline',
      input: input ?? null,
      steps: [
        ...(steps as JsonObject[]).filter(({ id }) => ['orders', 'form', 'answered'].includes(id as string)),
        {
          id: 'result',
          output: {
            orders: '${{ steps.orders.output.text }}',
            answered: '${{ steps.answered.output.base64 }}',
            name: '${{ steps.form.output.more.filename }}',
          },
        },
      ],
      evaluation: {
        cases: [
          { name: 'inline', input: { orders: inline }, ...answer({ fixture: 'orders.csv' }), assert },
          { name: 'upload', input: { orders: { file: id } }, ...answer({ file: other }), assert },
        ],
      },
    });
    const started = await call<{ id: string }>('POST', `/agents/${agent}/versions/1/evaluate`);
    await scene.haveWorkers();
    const { results } = await eventually(async () => {
      const answer = await call<{ results: Graded[]; ended_at: string }>('GET', `/evaluations/${started.body.id}`);
      expect(answer.body.ended_at).not.toBeNull();
      return answer.body;
    });
    expect(results.map(({ case: name, status, trials }) => [name, status, trials[0]?.error ?? null])).toEqual([
      ['inline', 'passed', null],
      ['upload', 'passed', null],
    ]);
  });

  it('that a case names by id are kept by the evaluation; an id that the caller may not use is rejected', async () => {
    const { id } = await uploaded(CSV);
    // A member `file` of an input or an answer names no file.
    const cases = [id, newId('file')].map((file, at) => ({
      name: `case ${at}`,
      input: { orders: { file }, file: newId('file') },
      answers: { form: { more: { file }, file: newId('file') } },
      assert: [{ type: 'status', value: 'succeeded' }],
    }));
    const agent = await scene.stack.client.createAgent({ ...reader('named'), evaluation: { cases } });
    const refused = await call('POST', `/agents/${agent}/versions/1/evaluate`);
    expect(refused).toMatchObject({
      status: 422,
      body: {
        code: 'input_invalid',
        errors: [
          { pointer: '/evaluation/cases/1/input/orders/file' },
          { pointer: '/evaluation/cases/1/answers/form/more/file' },
        ],
      },
    });
    expect((await call('DELETE', `/files/${id}`)).status).toBe(204);
    const kept = await uploaded(CSV);
    const answers = { form: { more: { file: kept.id } } };
    const orders = { text: CSV, filename: 'orders.csv' };
    const one = [{ name: 'kept', input: { orders }, answers, assert: cases[0]!.assert }] as JsonObject[];
    const workers = await scene.haveWorkers();
    await Promise.all(workers.map((worker) => worker.stop()));
    const other = await scene.stack.client.createAgent({ ...reader('kept'), evaluation: { cases: one } });
    expect((await call('POST', `/agents/${other}/versions/1/evaluate`)).status).toBe(202);
    expect(await call('DELETE', `/files/${kept.id}`)).toMatchObject({ status: 409, body: { code: 'file_in_use' } });
  });

  it('that do not exist are a warning of the version and an error of its evaluation', async () => {
    const pointers = [
      '/evaluation/cases/0/input/orders',
      '/evaluation/cases/0/answers/form/more',
      '/evaluation/cases/0/mock/shop.export',
      '/evaluation/cases/0/mock_each/shop.next/0/output',
    ];
    await call('DELETE', '/fixtures/orders.csv');
    const created = await call<{ id: string; warnings: { pointer: string }[] }>('POST', '/agents', reader('without'));
    expect(created.status).toBe(201);
    const warned = created.body.warnings.map(({ pointer }) => pointer);
    expect(warned).toEqual(expect.arrayContaining(pointers));
    const refused = await call<{ code: string; errors: { pointer: string }[] }>(
      'POST',
      `/agents/${created.body.id}/versions/1/evaluate`,
    );
    expect([refused.status, refused.body.code]).toEqual([422, 'unknown_reference']);
    expect(refused.body.errors.map(({ pointer }) => pointer)).toEqual(pointers);
  });
});
