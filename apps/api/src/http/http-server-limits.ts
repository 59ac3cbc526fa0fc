import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { DomainError, newId } from '@app/kernel';
import { PROBLEM_TYPE, toProblem } from './problem.js';

export interface HttpServerLimits {
  /** Milliseconds for the headers of a request, from the first byte or from the connection on. */
  headersMillis: number;
  /** Milliseconds for a whole request. */
  requestMillis: number;
  /** Milliseconds between two looks at the limits. */
  checkMillis: number;
  /** A body may take this long, and one second more for each `bodyBytesPerSecond` that have arrived. */
  bodyGraceMillis: number;
  bodyBytesPerSecond: number;
}

/**
 * A document of 50 MiB arrives in time at 1.4 Mbit/s, one of 100 MiB, the most that an operator may allow, at 2.8
 * Mbit/s.
 */
const LIMITS: HttpServerLimits = {
  headersMillis: 10_000,
  requestMillis: 300_000,
  checkMillis: 2_000,
  bodyGraceMillis: 20_000,
  bodyBytesPerSecond: 8 * 1024,
};
/** Milliseconds in which the first request line of a connection has to arrive. */
export const FIRST_LINE_MILLIS = LIMITS.headersMillis;
/** Idle connections are kept longer than proxies keep theirs (60 s), so the proxy is the one to close. */
const KEEP_ALIVE_MILLIS = 65_000;
/** How long a client that the server gives up may take to read why. */
const LINGER_MILLIS = 2_000;

/** The body that a connection receives. */
interface ArrivingBody {
  request: IncomingMessage;
  response: ServerResponse;
  /** What the socket had read when the client was last waited for; from then on the limit counts. */
  bytes: number;
  since: number;
}

const connectionsOf = new WeakMap<Server, Map<Socket, ArrivingBody | undefined>>();

/**
 * Limits for connections that do not behave; Node's own 16 KiB for all headers together holds as well. What fails
 * before there is a request is answered with a problem document, too.
 */
export function hardenHttpServer(server: Server, limits: HttpServerLimits = LIMITS): void {
  Object.assign(server, {
    headersTimeout: limits.headersMillis,
    requestTimeout: limits.requestMillis,
    keepAliveTimeout: KEEP_ALIVE_MILLIS,
    maxHeadersCount: 100,
    // Node reads it when it begins to listen.
    connectionsCheckingInterval: limits.checkMillis,
    // A missing Host is answered by the first middleware, as a problem.
    requireHostHeader: false,
  });
  const connections = new Map<Socket, ArrivingBody | undefined>();
  connectionsOf.set(server, connections);
  server.on('connection', (socket: Socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (connections.has(socket))
      connections.set(socket, { request, response, bytes: socket.bytesRead, since: performance.now() });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => answerClientError(error, socket));
  server.on('listening', () => {
    const timer = setInterval(() => endSlowBodies(connections, limits), limits.checkMillis).unref();
    server.once('close', () => clearInterval(timer));
  });
}

function endSlowBodies(connections: ReadonlyMap<Socket, ArrivingBody | undefined>, limits: HttpServerLimits): void {
  const now = performance.now();
  for (const [socket, body] of connections) {
    if (!body || body.request.complete) continue;
    // The service has not read yet what has arrived, so it does not wait for the client.
    if (body.request.readableLength > 0) Object.assign(body, { bytes: socket.bytesRead, since: now });
    const earned = ((socket.bytesRead - body.bytes) * 1_000) / limits.bodyBytesPerSecond;
    if (now - body.since > limits.bodyGraceMillis + earned) endSlowBody(socket, body);
  }
}

function endSlowBody(socket: Socket, { response }: ArrivingBody): void {
  if (response.headersSent) socket.destroy();
  else answerAndEnd(socket, 'ERR_HTTP_REQUEST_TIMEOUT');
}

/**
 * Closes the connections that nothing was ever sent on. To Node they are not idle but about to begin, and a server that
 * is closing would wait for them; clients open such connections to have them ready.
 */
export function closeUnusedConnections(server: Server): void {
  for (const socket of connectionsOf.get(server)?.keys() ?? []) if (socket.bytesRead === 0) socket.destroy();
}

/**
 * Closes the connection of a client that was too slow to send its first request line. One that has sent nothing gets no
 * answer: it would take the answer for that of a request which it sends at this moment.
 */
export function refuseLateClient(socket: Socket): void {
  if (socket.bytesRead > 0) answerAndEnd(socket, 'ERR_HTTP_REQUEST_TIMEOUT');
  else socket.destroy();
}

function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunAnswer(socket)) {
    socket.destroy();
    return;
  }
  answerAndEnd(socket, error.code);
}

/** Ending a socket closes one direction only: a client that does not close the other would keep the connection. */
function answerAndEnd(socket: Duplex, code: string | undefined): void {
  const [status, reason, detail] = describe(code);
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
  setTimeout(() => socket.destroy(), LINGER_MILLIS).unref();
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
