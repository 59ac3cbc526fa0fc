import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constantTimeEqual } from '@app/platform/crypto';

/** Address at which a server of this process accepts the connections that the stop listener forwards. */
export interface ForwardAddress {
  /** Path of a Unix socket or a named pipe. */
  path: string;
  /**
   * Secret that is sent first on each connection, because other processes on the machine can also connect to the path.
   */
  token: string;
}

const LONGEST_PREAMBLE = 256;
/** Milliseconds until a connection is closed if the other side does not close it after the last response. */
const LINGER_MILLIS = 30_000;

/** Returns a unique address. On Linux, no file remains at the address, even after a crash. */
export function newForwardAddress(): ForwardAddress {
  const name = `aas-${randomBytes(12).toString('hex')}`;
  const token = randomBytes(32).toString('hex');
  if (process.platform === 'linux') return { path: `\0${name}`, token };
  if (process.platform === 'win32') return { path: `\\\\.\\pipe\\${name}`, token };
  return { path: join(tmpdir(), `${name}.sock`), token };
}

/** Returns the first bytes that are sent on a forwarded connection: the token and the address of the client. */
export function preambleOf({ token }: ForwardAddress, clientAddress: string | undefined): string {
  return `${token} ${clientAddress ?? ''}\n`;
}

/**
 * Makes the server accept only forwarded connections. Its handlers see the address of the client, as if the client had
 * connected directly.
 */
export async function serveForwarded(server: Server, { path, token }: ForwardAddress): Promise<void> {
  const accept = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    readPreamble(socket, token, () => {
      for (const listener of accept) Reflect.apply(listener, server, [socket]);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function readPreamble(socket: Socket, token: string, ready: () => void): void {
  let read = Buffer.alloc(0);
  const refuse = (): void => void socket.destroy();
  const onData = (bytes: Buffer): void => {
    read = Buffer.concat([read, bytes]);
    const end = read.subarray(0, LONGEST_PREAMBLE).indexOf('\n');
    if (end < 0 && read.length < LONGEST_PREAMBLE) return;
    const [given = '', clientAddress = ''] = read.toString('latin1', 0, Math.max(0, end)).split(' ');
    if (!constantTimeEqual(given, token)) return refuse();
    socket.pause();
    socket.off('data', onData).off('error', refuse).off('end', refuse);
    Object.defineProperty(socket, 'remoteAddress', { value: clientAddress });
    // After the last response, Node calls `destroySoon`, which would also stop receiving. The stop listener, which may
    // still be sending the body of a rejected request, would then get an error before it has read the response. It
    // closes the connection when it has read the response.
    socket.destroySoon = () => endSending(socket);
    const rest = read.subarray(end + 1);
    if (rest.length > 0) socket.unshift(rest);
    ready();
    socket.resume();
  };
  socket.on('data', onData).on('error', refuse).on('end', refuse);
}

/** Ends the sending direction only. The other side can still send until it closes the connection, at most for 30 s. */
export function endSending(socket: Socket): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER_MILLIS).unref();
  socket.once('close', () => clearTimeout(timer));
}
