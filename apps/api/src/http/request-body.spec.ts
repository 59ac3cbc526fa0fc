import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { readTextBody } from './request-body.js';

const RULES = { types: ['application/json'], limit: 16 };

/** Returns a request whose body arrives in these chunks. If `cut`, the connection closes after the last chunk. */
function requestOf(
  headers: Record<string, string>,
  chunks: readonly (string | Buffer)[],
  cut = false,
): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers = headers;
  for (const chunk of chunks) request.push(chunk);
  if (cut) queueMicrotask(() => request.destroy());
  else request.push(null);
  return request;
}

const JSON_TYPE = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };

describe('the body of a request', () => {
  it('is put together from its chunks, also where a character is cut in two', async () => {
    const bytes = Buffer.from('{"a":"ü"}');
    const request = requestOf(JSON_TYPE, [bytes.subarray(0, 7), bytes.subarray(7)]);
    await expect(readTextBody(request, RULES)).resolves.toEqual({ text: '{"a":"ü"}', type: 'application/json' });
  });

  it('is freed of a byte order mark', async () => {
    await expect(readTextBody(requestOf(JSON_TYPE, ['\uFEFF{}']), RULES)).resolves.toMatchObject({ text: '{}' });
  });

  it('is empty where there is none, whatever the type', async () => {
    await expect(readTextBody(requestOf({}, []), RULES)).resolves.toEqual({ text: '' });
    await expect(
      readTextBody(requestOf({ 'content-length': '0', 'content-type': 'text/plain' }, []), RULES),
    ).resolves.toEqual({ text: '' });
  });

  it.each([
    [{ 'content-type': 'text/plain' }],
    [{ 'content-type': 'application/x-www-form-urlencoded' }],
    [{ 'content-type': 'application/json; charset=iso-8859-1' }],
    [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }],
    [{}],
  ])('with the headers %j is not taken', async (headers) => {
    const request = requestOf({ ...headers, 'content-length': '2' }, ['{}']);
    await expect(readTextBody(request, RULES)).rejects.toMatchObject({ code: 'unsupported_media_type' });
  });

  it('that announces too much is refused before it is read', async () => {
    const request = requestOf({ 'content-type': 'application/json', 'content-length': '17' }, []);
    await expect(readTextBody(request, RULES)).rejects.toMatchObject({ code: 'payload_too_large' });
  });

  it('that turns out too large is refused', async () => {
    const request = requestOf(JSON_TYPE, ['x'.repeat(16), 'x']);
    await expect(readTextBody(request, RULES)).rejects.toMatchObject({ code: 'payload_too_large' });
    await expect(readTextBody(requestOf(JSON_TYPE, ['x'.repeat(16)]), RULES)).resolves.toMatchObject({
      text: 'x'.repeat(16),
    });
  });

  it.each([[[0xff, 0xfe]], [[0xc3]], [[0xed, 0xa0, 0x80]]])('that is not UTF-8 (%j) is refused', async (bytes) => {
    const request = requestOf(JSON_TYPE, [Buffer.from(bytes)]);
    await expect(readTextBody(request, RULES)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('that ends early is refused', async () => {
    await expect(readTextBody(requestOf(JSON_TYPE, ['{'], true), RULES)).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});
