import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '@app/kernel';
import { CLIENT, OauthServer } from '../../../../test/support/oauth-server.js';
import type { ToolCall, ToolCallResult } from '../calls/tool-call.js';
import { partsOf } from '../../../../test/support/form-parts.js';
import { ToolBench } from '../testing/tool-bench.js';

interface Seen {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const PDF = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3', 'latin1');
const SECRET = 'k€y/+"4 2';

describe('a call of an http tool', () => {
  let server: Server;
  let bench: ToolBench;
  let port: number;
  let url: string;
  const seen: Seen[] = [];
  let answer: (response: ServerResponse, request: Seen) => void;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url: path = '', headers } = request;
        const one = { method, url: path, headers, body: Buffer.concat(chunks) };
        seen.push(one);
        answer(response, one);
      });
    });
    await once(server.listen(0, '0.0.0.0'), 'listening');
    port = (server.address() as AddressInfo).port;
    url = `http://127.0.0.1:${port}`;
    bench = await ToolBench.start({ EGRESS_ALLOW: '127.0.0.0/8', MAX_RECORDED_BYTES: '65536' });
    await bench.secrets.put(bench.ada, 'KEY', SECRET);
    await bench.secrets.put(bench.ada, 'CLIENT_SECRET', CLIENT.secret);
  });

  afterAll(async () => {
    await bench.close();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  beforeEach(() => {
    seen.length = 0;
    answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  });

  const call = (
    operation: JsonObject,
    request: JsonObject = {},
    tool: JsonObject = {},
    more: Partial<ToolCall> = {},
  ): Promise<ToolCallResult> =>
    bench.call(
      [
        {
          name: 't',
          type: 'http',
          base_url: url,
          operations: [{ name: 'op', method: 'POST', path: '/x', ...operation }],
          ...tool,
        },
      ],
      't.op',
      request,
      more,
    );
  /**
   * Makes a call and returns the request that the server received. Fails unless the server received exactly one
   * request.
   */
  const sent = async (...values: Parameters<typeof call>): Promise<Seen> => {
    expect(await call(...values)).toMatchObject({ kind: 'answered' });
    expect(seen).toHaveLength(1);
    return seen[0]!;
  };
  const bodyOf = async (...values: Parameters<typeof call>): Promise<string> => (await sent(...values)).body.toString();
  const outputOf = async (...values: Parameters<typeof call>) => {
    const result = await call(...values);
    return result.kind === 'answered' ? result.output : result;
  };

  describe('sends', () => {
    it('a computed path, query, headers and content, and nothing of the request twice', async () => {
      const operation = {
        path: '/${{ request.folder }}/{id}',
        query: { key: '${{ secrets.KEY }}', tag: ['a', null, '${{ request.tag }}'], none: null },
        headers: { 'X-Team': '${{ input.team }}', 'X-None': '${{ null }}', 'X-Both': 'operation' },
      };
      const request = { folder: 'a/b ?', id: 7, tag: 'é&', rest: 1 };
      const {
        url: path,
        headers,
        body,
      } = await sent(operation, request, { headers: { 'x-both': 'tool', 'x-tool': '1' } });
      const found = new URL(path, url);
      expect(found.pathname).toBe('/a%2Fb%20%3F/7');
      expect([...found.searchParams]).toEqual([
        ['key', SECRET],
        ['tag', 'a'],
        ['tag', 'é&'],
      ]);
      expect(headers).toMatchObject({ 'x-team': 'blue', 'x-both': 'operation', 'x-tool': '1' });
      expect(headers).not.toHaveProperty('x-none');
      expect(JSON.parse(body.toString())).toEqual({ rest: 1 });
    });

    it('the rest of the request where it always goes', async () => {
      const query = (path: string) => [...new URL(path, url).searchParams];
      expect(
        query((await sent({ method: 'GET', headers: { 'x-a': '${{ request.a }}' } }, { a: 'A', b: 'B' })).url),
      ).toEqual([['b', 'B']]);
      seen.length = 0;
      expect(await bodyOf({ query: { q: '${{ request.a }}' } }, { a: 1, b: 2 })).toBe('{"b":2}');
      seen.length = 0;
      const removed = await sent(
        { method: 'DELETE', content: { ids: '${{ request.ids }}' } },
        { ids: [1], force: true },
      );
      expect([removed.url, removed.body.toString()]).toEqual(['/x?force=true', '{"ids":[1]}']);
    });

    it.each<[string, JsonObject, JsonObject, string, string | undefined]>([
      ['json that is no object', { content: '${{ request.list }}' }, { list: [1, null] }, '[1,null]', 'application/json'],
      ['a form', { body: 'form', content: { a: 'x y&z', b: [1, true], c: null } }, {}, 'a=x+y%26z&b=1&b=true', 'application/x-www-form-urlencoded'],
      ['the request as a form', { body: 'form' }, { a: 1.5 }, 'a=1.5', 'application/x-www-form-urlencoded'],
      ['text', { body: 'text', content: 'Hi ${{ request.who }}\n' }, { who: 'Ü' }, 'Hi Ü\n', 'text/plain;charset=utf-8'],
      ['a file', { body: 'binary', content: '${{ request.f }}' }, { f: { base64: btoa('raw'), content_type: 'image/png' } }, 'raw', 'image/png'],
      ['nothing', { body: 'none' }, { a: 1 }, '', undefined],
      ['another content type', { body: 'json', headers: { 'Content-Type': 'application/vnd.api+json' } }, { a: 1 }, '{"a":1}', 'application/vnd.api+json'],
    ])('%s', async (_, operation, request, body, type) => {
      const received = await sent(operation, request);
      expect([received.body.toString(), received.headers['content-type']]).toEqual([body, type]);
    }); // prettier-ignore

    it('a form with files', async () => {
      const file = { base64: PDF.toString('base64'), filename: 'a "b".pdf', content_type: 'application/pdf' };
      const mail = { name: 'mail.txt', content_type: 'text/plain', encoding: 'text', content: 'hello', size: 5 };
      const content = {
        title: '${{ request.title }}',
        tags: ['a', 'b'],
        none: null,
        file: '${{ request.file }}',
        all: ['${{ request.mail }}'],
      };
      const { headers, body } = await sent({ body: 'multipart', content }, { title: 'Grüße', file, mail });
      expect(await partsOf(headers, body)).toEqual([
        ['title', 'Grüße'],
        ['tags', 'a'],
        ['tags', 'b'],
        ['file', 'a %22b%22.pdf', 'application/pdf', PDF],
        ['all', 'mail.txt', 'text/plain', Buffer.from('hello')],
      ]);
    });

    it('the base URL as it is where the path is empty', async () => {
      expect((await sent({ path: '' }, {}, { base_url: `${url}/hooks/` })).url).toBe('/hooks/');
    });
  });

  it.each<[string, JsonObject, JsonObject, JsonObject?]>([
    ['a header with a line break', { headers: { 'X-A': '${{ request.a }}' } }, { a: 'b\r\nX-B: c' }],
    ['a header with a control character', { headers: { 'X-A': '${{ request.a }}' } }, { a: '\u0007' }],
    [
      'credentials with a line break',
      {},
      { a: 'b\nc' },
      { auth: { type: 'header', name: 'X-A', value: '${{ request.a }}' } },
    ],
    ['an empty segment of the path', { path: '/a/${{ request.a }}/b' }, { a: '' }],
    ['a dot segment', { path: '/a/${{ request.a }}/b' }, { a: '..' }],
    ['a missing value', { query: { a: '${{ request.a }}' } }, {}],
    ['a nested field of a form', { body: 'form', content: { a: { b: 1 } } }, {}],
    ['a nested list of a form', { body: 'multipart', content: { a: [[1]] } }, {}],
    ['a file in a form without files', { body: 'form', content: { a: { text: 'x' } } }, {}],
    ['a form that is a list', { body: 'multipart', content: [1] }, {}],
    ['a file that is broken', { body: 'binary', content: { base64: '***' } }, {}],
    [
      'a file that was too large to record',
      { body: 'multipart', content: { f: { base64: null, truncated: true } } },
      {},
    ],
    ['a text that is an object', { body: 'text', content: { a: 1 } }, {}],
  ])('sends nothing for %s', async (_, operation, request, tool = {}) => {
    expect(await call(operation, request, tool)).toMatchObject({
      kind: 'refused',
      code: 'tool_error',
      permanent: true,
    });
    expect(seen).toEqual([]);
  });

  describe('to computed hosts', () => {
    const toBase = (base: string, hosts: string[], more: Partial<ToolCall> = {}) =>
      call({ method: 'GET' }, { base }, { base_url: '${{ request.base }}', allowed_hosts: hosts }, more);

    it('reaches those that are allowed', async () => {
      expect(await toBase(`http://127.0.0.1:${port}/v1/`, ['127.0.0.1'])).toMatchObject({ kind: 'answered' });
      expect(await toBase(`HTTP://127.1:${port}`, [`127.0.0.1:${port}`])).toMatchObject({ kind: 'answered' });
      expect(seen.map((one) => one.url)).toEqual(['/v1/x', '/x']);
    });

    it.each([
      'http://127.0.0.2:PORT',
      'http://127.0.0.1.evil.example',
      'http://127.0.0.1:1',
      'http://[::1]:PORT',
      'http://evil.example\\@127.0.0.1:PORT',
    ])('is denied for %s', async (base) => {
      const result = await toBase(base.replace('PORT', String(port)), [`127.0.0.1:${port}`]);
      expect(result).toMatchObject({ kind: 'refused', code: 'tool_denied', permanent: true });
      expect(seen).toEqual([]);
    });

    it.each([
      'ftp://127.0.0.1',
      'file:///etc/passwd',
      '127.0.0.1',
      '//127.0.0.1',
      'http:127.0.0.1',
      'http://',
      'http://u@127.0.0.1',
      'http://@127.0.0.1',
      'http://127.0.0.1?a',
      'http://127.0.0.1/#a',
      'http://127.0.0.1\n',
      'ht\ttp://127.0.0.1',
      ' http://127.0.0.1',
      'javascript:1',
      '',
    ])('is an error for %j', async (base) => {
      expect(await toBase(base, ['127.0.0.1'])).toMatchObject({ kind: 'refused', code: 'tool_error', permanent: true });
      expect(seen).toEqual([]);
    });

    it('follows redirects of reads within the allowed hosts only', async () => {
      answer = (response, { url: path }) =>
        path === '/x'
          ? response.writeHead(302, { location: `http://127.0.0.2:${port}/away` }).end()
          : response.end('"there"');
      expect(await toBase(url, ['127.0.0.1'])).toMatchObject({ kind: 'refused', code: 'tool_denied' });
      expect(seen.map((one) => one.url)).toEqual(['/x']);
      expect(await toBase(url, ['127.0.0.1', '127.0.0.2'])).toMatchObject({ kind: 'answered' });
      expect(seen.map((one) => one.url)).toEqual(['/x', '/x', '/away']);
    });

    it('takes a secret as it is, and does not show it', async () => {
      await bench.secrets.put(bench.ada, 'BASE', `${url}/T0K3N-in-path`);
      expect((await sent({}, {}, { base_url: '${{ secrets.BASE }}' })).url).toBe('/T0K3N-in-path/x');
      answer = (response, request) => response.writeHead(500).end(`no ${url}${request.url}`);
      expect(JSON.stringify(await call({}, {}, { base_url: '${{ secrets.BASE }}' }))).not.toContain('T0K3N');
    });
  });

  describe('reads', () => {
    const reply = (body: string | Buffer, type: string, status = 200) => {
      answer = (response) => response.writeHead(status, { 'content-type': type, 'X-Total': '3' }).end(body);
    };

    it('JSON, whatever its content type is, and fails for anything else', async () => {
      reply('[1]', 'text/plain');
      expect(await outputOf({ response: 'json' })).toEqual([1]);
      reply('<html>', 'application/json');
      expect(await call({ response: 'json' })).toMatchObject({
        code: 'tool_error',
        permanent: true,
        status: 200,
        body: '<html>',
        message: expect.stringMatching(
          /^The body of the response is not JSON, but `response: json` requires JSON\. \S+ responded with .*: <html>$/,
        ),
      });
      reply('', 'application/json', 204);
      expect(await outputOf({ response: 'json' })).toBeNull();
    });

    it('text, whatever its content type is', async () => {
      reply('{"a":1}', 'application/json');
      expect(await outputOf({ response: 'text' })).toBe('{"a":1}');
      reply(Buffer.from('gr\xfc\xdfe', 'latin1'), 'text/plain; charset=iso-8859-1');
      expect(await outputOf({ response: 'text' })).toBe('grüße');
      reply('', 'text/plain');
      expect(await outputOf({ response: 'text' })).toBe('');
    });

    it('bytes, which can be sent as a file', async () => {
      reply('{"a":1}', 'application/json');
      const output = await outputOf({ response: 'binary' });
      const sha256 = createHash('sha256').update('{"a":1}').digest('hex');
      expect(output).toEqual({ content_type: 'application/json', bytes: 7, sha256, base64: btoa('{"a":1}') });
      seen.length = 0;
      expect(await bodyOf({ body: 'binary', content: '${{ request.f }}' }, { f: output as JsonObject })).toBe(
        '{"a":1}',
      );
      reply(Buffer.alloc(70_000), 'application/zip');
      expect(await outputOf({ response: 'binary' })).toMatchObject({ bytes: 70_000, base64: null, truncated: true });
    });

    it('a status that is an answer, always with headers', async () => {
      reply('{"reason":"gone"}', 'application/json', 404);
      const operation = { ok_status: [404, 409] };
      const headers = expect.objectContaining({ 'x-total': '3' });
      expect(await outputOf(operation)).toEqual({ status: 404, headers, body: { reason: 'gone' } });
      reply('{}', 'application/json', 201);
      expect(await outputOf(operation)).toEqual({ status: 201, headers, body: {} });
      reply('{"a":1}', 'application/json', 400);
      expect(await call(operation)).toMatchObject({ kind: 'refused', code: 'tool_error', status: 400, body: { a: 1 } });
    });

    it('a redirect that is an answer', async () => {
      answer = (response) => response.writeHead(302, { location: '/next' }).end();
      const output = await outputOf({ method: 'GET', ok_status: [302] });
      expect(output).toMatchObject({ status: 302, headers: { location: '/next' } });
      expect(seen).toHaveLength(1);
    });
  });

  it('shows no secret of its request, however the server echoes it', async () => {
    answer = (response, { url: path, headers, body }) => {
      response
        .writeHead(400)
        .end(JSON.stringify({ path, headers, body: body.toString(), base64: body.toString('base64') }));
    };
    const operation = {
      path: '/${{ secrets.KEY }}',
      query: { a: '${{ secrets.KEY }}' },
      body: 'form',
      content: { a: '${{ secrets.KEY }}', b: 'x:${{ secrets.KEY }}' },
    };
    const shown = JSON.stringify(
      await call(operation, {}, { auth: { type: 'query', name: 'k', value: '${{ secrets.KEY }}' } }),
    );
    const forms = [
      SECRET,
      encodeURIComponent(SECRET),
      new URLSearchParams({ '': SECRET }).toString().slice(1),
      JSON.stringify(SECRET).slice(1, -1),
    ];
    for (const form of forms) expect(shown).not.toContain(form);
    expect(shown).toContain('[redacted]');
  });

  it('carries a key in the query, which replaces a parameter of the same name', async () => {
    const auth = { type: 'query', name: 'key', value: '${{ secrets.KEY }}' };
    const { url: path } = await sent({ query: { key: 'mine', a: '1' } }, {}, { auth });
    expect(Object.fromEntries(new URL(path, url).searchParams)).toEqual({ key: SECRET, a: '1' });
  });

  it('is signed for AWS with what is sent', async () => {
    const auth = {
      type: 'aws_sigv4',
      access_key_id: 'AKID',
      secret_access_key: '${{ secrets.KEY }}',
      region: 'eu-central-1',
      service: 's3',
    };
    const { headers, body } = await sent({ method: 'PUT', body: 'text', content: 'hello' }, {}, { auth });
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/[0-9]{8}\/eu-central-1\/s3\/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date, Signature=[0-9a-f]{64}$/,
    );
    expect(headers['x-amz-content-sha256']).toBe(createHash('sha256').update(body).digest('hex'));
  });

  describe('with a token for an OAuth client', () => {
    let provider: OauthServer;
    beforeAll(async () => void (provider = await OauthServer.start('http://127.0.0.1/callback')));
    afterAll(() => provider.stop());
    beforeEach(() => {
      provider.clear();
      provider.json('/x', () => ({ ok: true }));
    });

    const tool = (more: JsonObject = {}): JsonObject => ({
      base_url: `${provider.url}/api`,
      auth: {
        type: 'oauth2_client_credentials',
        token_url: `${provider.url}/token`,
        client_id: CLIENT.id,
        client_secret: '${{ secrets.CLIENT_SECRET }}',
        scopes: ['read'],
        ...more,
      },
    });

    it('uses one token for many calls, and another one after the server rejected it', async () => {
      expect(await call({}, {}, tool())).toMatchObject({ kind: 'answered' });
      expect(await call({}, {}, tool())).toMatchObject({ kind: 'answered' });
      expect(provider.grants).toEqual(['client_credentials ok']);
      await provider.expireAccess();
      expect(await Promise.all([1, 2, 3].map(() => call({}, {}, tool())))).toMatchObject(
        [1, 2, 3].map(() => ({ kind: 'answered' })),
      );
      expect(provider.grants).toHaveLength(2);
      expect(provider.asked.filter((line) => line.startsWith('401'))).not.toHaveLength(0);
    });

    it('repeats a rejected call once', async () => {
      provider.on('/x', (_url, _request, response) => response.writeHead(401).end('{"why":"scope"}'));
      expect(await call({}, {}, tool())).toMatchObject({ kind: 'refused', code: 'tool_error', status: 401 });
      expect(provider.asked).toHaveLength(2);
    });

    it('fails where the token server refuses the client, without its secret', async () => {
      const result = await call({}, {}, tool({ client_id: 'stranger' }));
      expect(result).toMatchObject({ kind: 'refused', code: 'tool_error' });
      expect(JSON.stringify(result)).not.toContain(CLIENT.secret);
      expect(provider.asked).toEqual([]);
    });

    it('does not show the token, even if the server echoes it', async () => {
      provider.json('/x', (_url, { headers }) => ({
        authorization: headers.authorization,
        plain: headers.authorization?.slice(7),
      }));
      const output = await outputOf({}, {}, tool());
      expect(output).toEqual({ authorization: 'Bearer [redacted]', plain: '[redacted]' });
    });
  });
});
