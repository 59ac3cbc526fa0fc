import { MessageFraming } from './message-framing.js';
import { answerBody, classifyRequest, requestBody } from './message-heads.js';

/** Splits the text into messages, while its bytes arrive in pieces of `size` bytes. */
function messagesOf(text: string, size: number, framing = new MessageFraming(requestBody)): string[] {
  const bytes = Buffer.from(text, 'latin1');
  const found: string[] = [];
  let message = '';
  for (let from = 0; from < bytes.length; from += size) {
    const piece = bytes.subarray(from, from + size);
    for (let at = 0; at < piece.length;) {
      const end = framing.consume(piece, at);
      message += piece.toString('latin1', at, end);
      at = end;
      if (!framing.isAtBoundary) continue;
      found.push(message);
      message = '';
    }
  }
  return message === '' ? found : [...found, message];
}

const GET = 'GET /v1/me HTTP/1.1\r\nHost: x\r\n\r\n';
const POST = 'POST /v1/agents HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n{"a":1}';
const EMPTY = 'POST /v1/x HTTP/1.1\r\ncontent-length: 0\r\n\r\n';
const CHUNKED = 'POST /v1/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab\r\nc\r\nA\r\n0123456789\r\n0\r\n\r\n';

describe('the end of a request', () => {
  it.each([1, 2, 3, 7, 1_000])('is found where the bytes arrive in pieces of %i', (size) => {
    const sent = [GET, POST, EMPTY, CHUNKED, GET, CHUNKED, POST];
    expect(messagesOf(sent.join(''), size)).toEqual(sent);
  });

  it.each([
    ['two lengths', 'POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n'],
    ['a length and a coding', 'POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a length with a sign', 'POST / HTTP/1.1\r\nContent-Length: +3\r\n\r\n'],
    ['two codings', 'POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n'],
    ['a space before the colon', 'POST / HTTP/1.1\r\nContent-Length : 3\r\n\r\n'],
    ['a folded header', 'POST / HTTP/1.1\r\nA: b\r\n Content-Length: 3\r\n\r\n'],
    ['a bare line feed', 'POST / HTTP/1.1\r\nA: b\nContent-Length: 3\r\n\r\n'],
    ['a bare carriage return', 'POST / HTTP/1.1\r\nA: b\rContent-Length: 3\r\n\r\n'],
    ['an expectation', 'POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n'],
    ['an upgrade', 'GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n'],
    ['HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n'],
    ['a tunnel', 'CONNECT x:1 HTTP/1.1\r\n\r\n'],
    ['a chunk extension', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\nx\r\n0\r\n\r\n'],
    ['a trailer', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n'],
    ['an endless chunk size', `POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${'0'.repeat(50)}`],
    ['an endless head', `GET / HTTP/1.1\r\nA: ${'b'.repeat(70_000)}`],
  ])('is unknown after %s, and no later request is seen', (_what, sent) => {
    for (const size of [1, 100_000]) {
      const framing = new MessageFraming(requestBody);
      const text = `${sent}${GET}`;
      expect(messagesOf(text, size, framing)).toEqual([text]);
      expect(framing.isUnknown).toBe(true);
    }
  });
});

describe('the end of an answer', () => {
  const framing = (toHead = false) => new MessageFraming((head) => answerBody(head, toHead));

  it('is found after a length, a chunked body, an interim answer and an answer without a body', () => {
    const sent = [
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      'HTTP/1.1 204 No Content\r\n\r\n',
      'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n',
    ];
    for (const size of [1, 5, 1_000]) expect(messagesOf(sent.join(''), size, framing())).toEqual(sent);
  });

  it('is that of its head where the request was a HEAD, and unknown where the connection ends it', () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n';
    expect(messagesOf(head + head, 9, framing(true))).toEqual([head, head]);
    const endless = framing();
    messagesOf('HTTP/1.1 200 OK\r\n\r\nuntil the end', 9, endless);
    expect(endless.isUnknown).toBe(true);
  });
});

describe('a request', () => {
  it.each([
    ['POST /v1/workspace/emergency-stop HTTP/1.1', 'urgent'],
    ['POST /v1/workspace/emergency-stop?x=1 HTTP/1.1', 'urgent'],
    ['GET /healthz HTTP/1.1', 'urgent'],
    ['HEAD /metrics HTTP/1.1', 'urgent'],
    ['POST /v1/workspace/emergency-stops HTTP/1.1', 'ordinary'],
    ['GET /v1/workspace/emergency-stop HTTP/1.1', 'ordinary'],
    ['GET /readyz HTTP/1.1', 'ordinary'],
    ['post /v1/workspace/emergency-stop HTTP/1.1', 'ordinary'],
    ['POST /v1/workspace/res', 'ordinary'],
    ['POST /v1/workspace/emer', 'undecided'],
    ['POST /v1/workspace/emergency-stop', 'undecided'],
    ['G', 'undecided'],
    ['X', 'ordinary'],
  ])('that begins with %j is %s', (text, expected) => {
    expect(classifyRequest(Buffer.from(text))).toBe(expected);
  });
});
