import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { Busboy } from '@fastify/busboy';

/**
 * Returns the parts of a multipart body. A field is `[name, value]`, and a file is `[name, file name, type, content]`.
 */
export async function partsOf(headers: IncomingHttpHeaders, body: Buffer): Promise<(string | Buffer)[][]> {
  const parts: (string | Buffer)[][] = [];
  const reader = new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' } });
  reader.on('field', (name, value) => parts.push([name, value]));
  reader.on('file', (name, stream, filename, _encoding, type) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => parts.push([name, filename, type, Buffer.concat(chunks)]));
  });
  reader.end(body);
  await once(reader, 'finish');
  return parts;
}
