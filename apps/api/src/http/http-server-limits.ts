import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { DomainError, newId } from '@app/kernel';
import { PROBLEM_TYPE, toProblem } from './problem.js';

/**
 * Milliseconds. A document of 50 MiB arrives in time at 1.4 Mbit/s, one of 100 MiB, the most that an operator may allow, at
 * 2.8 Mbit/s. Idle connections are kept longer than proxies keep theirs
 * (60 s), so the proxy is the one to close.
 */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 300_000, keepAliveTimeout: 65_000, maxHeadersCount: 100 };

const connectionsOf = new WeakMap<Server, Set<Socket>>();

/**
 * Limits for connections that do not behave; Node's own 16 KiB for all headers together holds as well. What fails before
 * there is a request is answered with a problem document, too.
 */
export function hardenHttpServer(server: Server): void {
  Object.assign(server, LIMITS, {
    // How often the two time limits are looked at. Node reads it when it begins to listen.
    connectionsCheckingInterval: 2_000,
    // A missing Host is answered by the first middleware, as a problem.
    requireHostHeader: false,
  });
  const connections = new Set<Socket>();
  connectionsOf.set(server, connections);
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => answerClientError(error, socket));
}

/**
 * Closes the connections that nothing was ever sent on. To Node they are not idle but about to begin, and a server that is
 * closing would wait for them; clients open such connections to have them ready.
 */
export function closeUnusedConnections(server: Server): void {
  for (const socket of connectionsOf.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
}

function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunAnswer(socket)) {
    socket.destroy();
    return;
  }
  const [status, reason, detail] = describe(error.code);
  const requestId = newId('request');
  const body = JSON.stringify(toProblem(new DomainError('invalid_request', detail), requestId, status));
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function describe(code: string | undefined): [status: number, reason: string, detail: string] {
  if (code === 'HPE_HEADER_OVERFLOW')
    return [431, 'Request Header Fields Too Large', 'The headers are larger than 16 KiB.'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'Request Timeout', 'The request took too long to arrive.'];
  return [400, 'Bad Request', 'The request is not valid HTTP/1.1.'];
}

// Node keeps the answer that is under way on the socket; bytes of a second one in between would corrupt it.
function hasBegunAnswer(socket: Duplex & { _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}
