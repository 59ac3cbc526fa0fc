import { gzipSync } from 'node:zlib';
import type { JsonObject } from '@app/kernel';
import { type LocalServer, startTcpServer } from '../../../platform/src/egress/testing/local-servers.js';
import type { ToolCallResult } from '../calls/tool-call.js';
import { ToolBench } from '../testing/tool-bench.js';

describe('a call of an http tool whose response is damaged', () => {
  let server: LocalServer;
  let bench: ToolBench;
  let response: Buffer;

  beforeAll(async () => {
    server = await startTcpServer((socket) => socket.end(response));
    bench = await ToolBench.start({ EGRESS_ALLOW: '127.0.0.0/8' });
  });

  afterAll(async () => {
    await bench.close();
    await server.close();
  });

  const call = (operation: JsonObject): Promise<ToolCallResult> => {
    const operations = [{ name: 'op', method: 'POST', path: '/x', ...operation }];
    return bench.call([{ name: 't', type: 'http', base_url: server.url, operations }], 't.op', {});
  };

  const respond = (head: string, body: string | Buffer): void => {
    response = Buffer.concat([Buffer.from(`HTTP/1.1 ${head}\r\n\r\n`), Buffer.from(body)]);
  };
  const DAMAGES: [string, string, string | Buffer][] = [
    ['a wrong compression', 'content-encoding: gzip\r\ncontent-length: 2', '\x1fx'],
    [
      'bytes after the compressed data',
      'content-encoding: gzip',
      Buffer.concat([gzipSync('{"a":1}'), Buffer.from('junk')]),
    ],
    ['a body that is cut off', 'content-length: 10', '{"a"'],
    ['invalid chunks', 'transfer-encoding: chunked', 'zz\r\n'],
    ['contradicting lengths', 'content-length: 1\r\ncontent-length: 2', '{}'],
  ];

  it.each(DAMAGES)('succeeds if it is a write with a 2xx status and %s', async (_what, headers, body) => {
    respond(`201 Created\r\ncontent-type: application/json\r\n${headers}`, body);
    const unreadable = { unreadable: true, reason: expect.any(String) as string };
    const operations: JsonObject[] = [{}, { response: 'json' }, { effect: 'idempotent' }];
    for (const operation of operations) {
      const result = await call(operation);
      expect(result).toMatchObject({ kind: 'answered', output: unreadable, detail: { http_status: 201 } });
    }
    expect(await call({ ok_status: [409] })).toMatchObject({
      kind: 'answered',
      output: { status: 201, body: unreadable },
    });
  });

  it.each(DAMAGES)(
    'fails if it is a read with a 2xx status and %s, and may be retried',
    async (_what, headers, body) => {
      respond(`200 OK\r\n${headers}`, body);
      expect(await call({ method: 'GET' })).toMatchObject({ kind: 'refused', unanswered: true, permanent: false });
    },
  );

  it.each(DAMAGES)('fails with the status of an error and %s', async (_what, headers, body) => {
    respond(`400 Bad Request\r\n${headers}`, body);
    expect(await call({})).toMatchObject({ kind: 'refused', status: 400, body: null, permanent: true });
    respond(`503 Unavailable\r\n${headers}`, body);
    expect(await call({})).toMatchObject({ kind: 'refused', status: 503, permanent: false });
    respond(`404 Not Found\r\n${headers}`, body);
    expect(await call({ method: 'GET' })).toMatchObject({
      kind: 'refused',
      permanent: true,
      response: { status: 404 },
    });
  });

  it.each(['204 No Content', '205 Reset Content'])(
    'succeeds after %s with a length, with or without a body',
    async (head) => {
      for (const body of ['{"a":1}', '']) {
        respond(`${head}\r\ncontent-length: 7`, body);
        for (const method of ['POST', 'DELETE', 'GET'])
          expect(await call({ method })).toMatchObject({ kind: 'answered', output: null });
      }
    },
  );

  it('succeeds after an interim response that no request asked for', async () => {
    respond('100 Continue', 'HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nok');
    expect(await call({})).toMatchObject({ kind: 'answered', output: 'ok' });
  });

  it('has an unknown outcome if no status line arrived', async () => {
    respond('100 Continue', 'HTTP/1.1 20');
    expect(await call({})).toMatchObject({ kind: 'unknown' });
  });

  it('keeps several cookies apart', async () => {
    respond(
      '200 OK\r\nset-cookie: a=1; Expires=Wed, 01 Jan 2027 00:00:00 GMT\r\nset-cookie: b=2\r\ncontent-length: 0',
      '',
    );
    expect(await call({ ok_status: [404] })).toMatchObject({
      output: { headers: { 'set-cookie': ['a=1; Expires=Wed, 01 Jan 2027 00:00:00 GMT', 'b=2'] } },
    });
  });
});
