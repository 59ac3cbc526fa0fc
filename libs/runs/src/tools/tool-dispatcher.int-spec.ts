import type { JsonObject } from '@app/kernel';
import { DataSource } from 'typeorm';
import { Ledger } from '../../../../test/support/ledger.js';
import { ToolBench } from '../testing/tool-bench.js';
import type { ToolCallResult } from '../calls/tool-call.js';

describe('the dispatcher of tool calls', () => {
  let ledger: Ledger;
  let bench: ToolBench;

  beforeAll(async () => {
    ledger = await Ledger.start();
    bench = await ToolBench.start({ EGRESS_ALLOW: ledger.egressEntry });
  });

  afterAll(async () => {
    await bench.close();
    await ledger.close();
  });

  beforeEach(async () => {
    ledger.reset();
    await bench.newWorkspace();
  });

  const call = (settings: JsonObject, more: JsonObject[] = []): Promise<ToolCallResult> => {
    const operations = [{ name: 'x', method: 'GET', path: '/x' }];
    const tool = { name: 'shop', type: 'http', base_url: ledger.url, operations, ...settings };
    return bench.call([tool, ...more], 'shop.x', { order: 'o-7' });
  };
  const bearer = { auth: { type: 'bearer', token: '${{ secrets.TOKEN }}' } };

  it('sends secrets in the headers that ask for them, next to what else expressions see', async () => {
    await bench.secrets.put(bench.ada, 'TOKEN', 't0ken-value');
    await bench.secrets.put(bench.ada, 'ACCOUNT', 'acc-42');
    const headers = {
      'X-Account': '${{ secrets.ACCOUNT }}/${{ input.team }}',
      'X-Order': '${{ request.order }}',
    };
    expect(await call({ ...bearer, headers })).toMatchObject({ kind: 'answered' });
    expect(ledger.calls[0]?.headers).toMatchObject({
      authorization: 'Bearer t0ken-value',
      'x-account': 'acc-42/blue',
      'x-order': 'o-7',
    });
  });

  it('sends a user and a password', async () => {
    await bench.secrets.put(bench.ada, 'PASSWORD', 'pässwort');
    await call({ auth: { type: 'basic', username: 'ada', password: '${{ secrets.PASSWORD }}' } });
    const [, credentials = ''] = ledger.calls[0]?.headers.authorization?.split(' ') ?? [];
    expect(Buffer.from(credentials, 'base64').toString()).toBe('ada:pässwort');
  });

  it('sends nothing without a secret that the tool needs, and says how to set it', async () => {
    expect(await call(bearer)).toMatchObject({
      kind: 'refused',
      code: 'secret_missing',
      permanent: true,
      message: expect.stringContaining('PUT /v1/secrets/TOKEN'),
    });
    await bench.secrets.put(bench.ada, 'TOKEN', 't0ken-value');
    expect(await call(bearer)).toMatchObject({ kind: 'answered' });
    await bench.secrets.delete(bench.ada, 'TOKEN');
    expect(await call(bearer)).toMatchObject({ kind: 'refused', code: 'secret_missing' });
    expect(ledger.calls).toHaveLength(1);
  });

  it('sends nothing when a secret cannot be opened with the keys of this installation', async () => {
    await bench.secrets.put(bench.ada, 'OTHER', 't0ken-value');
    const copy = `insert into secrets select workspace_id, 'TOKEN', value, created_at, updated_at, updated_by from secrets where workspace_id = $1`;
    await bench.app.get(DataSource).query(copy, [bench.ada.workspaceId]);
    expect(await call(bearer)).toMatchObject({ kind: 'refused', code: 'secret_missing' });
    expect(ledger.calls).toEqual([]);
  });

  it('does not miss the secrets of other tools', async () => {
    const other = { name: 'other', type: 'http', base_url: ledger.url, operations: [], ...bearer };
    expect(await call({}, [other])).toMatchObject({ kind: 'answered' });
  });

  it.each([200, 404, 503])('hands back nothing of a secret that the tool echoes with status %i', async (status) => {
    await bench.secrets.put(bench.ada, 'TOKEN', 't0ken-value');
    await bench.secrets.put(bench.ada, 'OTHER', 'of-another-tool');
    ledger.always('/x', { status, body: ({ headers }) => ({ headers, [`key of-another-tool`]: 'of-another-tool' }) });
    const other = {
      name: 'other',
      type: 'http',
      base_url: ledger.url,
      operations: [],
      headers: { 'X-Key': '${{ secrets.OTHER }}' },
    };
    const result = await call(bearer, [other]);
    expect(result.kind).toBe(status === 200 ? 'answered' : 'refused');
    const text = JSON.stringify(result);
    expect(text).toContain('[redact');
    expect(text).not.toMatch(/t0ken-value|of-another-tool/);
  });

  it.each([
    [429, '7', 7_000],
    [503, '1.5', 1_500],
    [503, 'soon', undefined],
    [500, '7', undefined],
  ])('says of a %i how long the server wants to be left alone: %s', async (status, asked, retryAfterMs) => {
    ledger.always('/x', { status, headers: { 'retry-after': asked } });
    const result = await call({});
    expect(result).toMatchObject({ kind: 'refused', permanent: false });
    expect('retryAfterMs' in result ? result.retryAfterMs : undefined).toBe(retryAfterMs);
  });

  it('hands back nothing of a secret that the tool answers in a header', async () => {
    await bench.secrets.put(bench.ada, 'TOKEN', 't0ken-value');
    ledger.always('/x', { headers: { 'x-echo': 't0ken-value' } });
    const result = await call(bearer);
    expect(result).toMatchObject({ kind: 'answered', response: { headers: { 'x-echo': '[redacted]' } } });
  });

  it('makes no write for a run in mode test, whatever requests it', async () => {
    const operations = [{ name: 'pay', method: 'POST', path: '/pay' }];
    const tools = [{ name: 'shop', type: 'http', base_url: ledger.url, operations }];
    await expect(bench.call(tools, 'shop.pay', {}, { mode: 'test' })).rejects.toThrow(/simulated/);
    expect(ledger.calls).toEqual([]);
  });

  it('takes a call back that was held back at the last moment', async () => {
    const operations = [{ name: 'pay', method: 'POST', path: '/pay' }];
    const tools = [{ name: 'shop', type: 'http', base_url: ledger.url, operations }];
    expect(await bench.call(tools, 'shop.pay', {}, { mayStart: () => false })).toEqual({ kind: 'not_started' });
    expect(ledger.calls).toEqual([]);
  });
});
