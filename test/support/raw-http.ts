import { connect } from 'node:net';

export interface RawAnswer {
  status: number;
  /** Header values by header name in lower case. */
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends these bytes to a port of 127.0.0.1, and reads until the server closes the connection. Use it for malformed
 * requests, which an HTTP client cannot send. If the server would keep the connection open, add the header `Connection:
 * close` to the request.
 */
export function sendRaw(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(parse(Buffer.concat(chunks).toString('utf8'))));
    socket.setTimeout(10_000, () => socket.destroy(new Error('The server neither answered nor closed.')));
  });
}

function parse(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(headers), body: text.slice(end + 4) };
}
