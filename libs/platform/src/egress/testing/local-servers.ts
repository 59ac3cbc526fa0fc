import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';

export interface LocalServer {
  port: number;
  url: string;
  /** The text that clients have sent: one entry for each connection, in the order in which they were opened. */
  received: string[];
  close(): Promise<void>;
}

/**
 * Starts a TCP server. Whenever bytes arrive, calls `onData` with the connection and all text that has arrived on it so
 * far.
 */
export function startTcpServer(
  onData: (socket: Socket, text: string) => void,
  host = '127.0.0.1',
): Promise<LocalServer> {
  return listen(createTcpServer(), host, onData);
}

export function startHttpServer(listener: RequestListener, host = '127.0.0.1', port = 0): Promise<LocalServer> {
  return listen(createHttpServer(listener), host, () => undefined, port);
}

async function listen(
  server: Server,
  host: string,
  onData: (socket: Socket, text: string) => void,
  port = 0,
): Promise<LocalServer> {
  const sockets = new Set<Socket>();
  const received: string[] = [];
  server.on('connection', (socket: Socket) => {
    const index = received.push('') - 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      const text = (received[index] ?? '') + chunk.toString('latin1');
      received[index] = text;
      onData(socket, text);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    url: `http://${host}:${address.port}`,
    received,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns the text of a complete HTTP response that keeps the connection open. */
export function answer(body: string, status = '200 OK'): string {
  return `HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
