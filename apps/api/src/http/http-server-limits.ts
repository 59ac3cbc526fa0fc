import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, DomainError, newId } from '@app/kernel';
import { PROBLEM_TYPE, toProblem } from './problem.js';

export interface HttpServerLimits {
  /**
   * Maximum time in milliseconds until the headers of a request have arrived. It is counted from the first byte of the
   * request, and for the first request from the start of the connection.
   */
  headersMillis: number;
  /** Maximum time in milliseconds for receiving a whole request. */
  requestMillis: number;
  /** Milliseconds between checks of these limits. */
  checkMillis: number;
  /**
   * Maximum time in milliseconds for receiving a body. It is extended by one second for each `bodyBytesPerSecond` bytes
   * that have arrived.
   */
  bodyGraceMillis: number;
  bodyBytesPerSecond: number;
  /** Maximum time in milliseconds without a byte, for a body whose whole time has no limit: {@link allowLongBody}. */
  silenceMillis: number;
}

/**
 * With these limits, a document of 50 MiB arrives in time at 1.4 Mbit/s. A document of 100 MiB, the highest limit that
 * an operator can set, needs 2.8 Mbit/s.
 */
const LIMITS: HttpServerLimits = {
  headersMillis: 10_000,
  requestMillis: 300_000,
  checkMillis: 2_000,
  bodyGraceMillis: 20_000,
  bodyBytesPerSecond: 8 * 1024,
  silenceMillis: 30_000,
};
/**
 * Milliseconds until this server closes an idle connection. Proxies usually close idle connections after 60 s. The
 * limit is higher, so that the proxy and not this server closes them.
 */
const KEEP_ALIVE_MILLIS = 65_000;
/** Milliseconds until the connection of a rejected client is closed. The client can read the error before that. */
const LINGER_MILLIS = 2_000;
/** Milliseconds until a connection is closed if the client does not close it after the last response. */
const END_MILLIS = 30_000;
/** Maximum time in milliseconds for finishing open requests when the server closes. */
const DRAIN_MILLIS = 20_000;
const DRAIN_CHECK_MILLIS = 50;

interface ArrivingBody {
  request: IncomingMessage;
  response: ServerResponse;
  /** Number of bytes that the socket had read at the time `since`. */
  bytes: number;
  /**
   * Time from which the limit is counted, in milliseconds. It is the beginning of the request, or the last check at
   * which the service had not yet read all received bytes.
   */
  since: number;
  begunAt: number;
}

const LONG_BODIES = new WeakSet<IncomingMessage>();

/** Takes the limits of time from a body, as long as bytes arrive. For files, which may be large and clients slow. */
export function allowLongBody(request: IncomingMessage): void {
  LONG_BODIES.add(request);
}

const connectionsOf = new WeakMap<Server, Map<Socket, ArrivingBody | undefined>>();

/**
 * Adds limits for misbehaving clients to Node's limit of 16 KiB for all headers. Errors that Node reports without a
 * request also get a problem document as the response.
 */
export function hardenHttpServer(server: Server, limits: HttpServerLimits = LIMITS): void {
  Object.assign(server, {
    headersTimeout: limits.headersMillis,
    // `endSlowBodies` enforces the limit for whole requests, because not all requests have it.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MILLIS,
    maxHeadersCount: 100,
    // Node reads this setting when the server starts to listen.
    connectionsCheckingInterval: limits.checkMillis,
    // The first middleware rejects a missing Host, with a problem document.
    requireHostHeader: false,
  });
  const connections = new Map<Socket, ArrivingBody | undefined>();
  connectionsOf.set(server, connections);
  server.on('connection', (socket: Socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
    // Node calls `destroySoon` after the last response. It would also stop receiving. A client that is still sending
    // the body of a rejected request would then lose the response (RFC 9112, section 9.6).
    socket.destroySoon = () => endSending(socket);
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const now = performance.now();
    if (connections.has(socket))
      connections.set(socket, { request, response, bytes: socket.bytesRead, since: now, begunAt: now });
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
    // The service has not yet read all bytes that have arrived, so the client is not the cause of the delay.
    const isLong = LONG_BODIES.has(body.request);
    const hasNews = isLong && socket.bytesRead > body.bytes;
    if (body.request.readableLength > 0 || hasNews) Object.assign(body, { bytes: socket.bytesRead, since: now });
    const earned = ((socket.bytesRead - body.bytes) * 1_000) / limits.bodyBytesPerSecond;
    const allowed = isLong ? limits.silenceMillis : limits.bodyGraceMillis + earned;
    if (now - body.since > allowed || (!isLong && now - body.begunAt > limits.requestMillis)) endSlowBody(socket, body);
  }
}

function endSlowBody(socket: Socket, { response }: ArrivingBody): void {
  if (response.headersSent) socket.destroy();
  else answerAndEnd(socket, 'ERR_HTTP_REQUEST_TIMEOUT');
}

/**
 * Closes connections on which the client has sent nothing. Clients open such connections in advance. Node does not
 * count them as idle, so a shutdown would wait for them.
 */
function closeUnusedConnections(server: Server): void {
  for (const socket of connectionsOf.get(server)?.keys() ?? []) if (socket.bytesRead === 0) socket.destroy();
}

/**
 * Closes the server. Finishes open requests, for at most 20 s, and closes each connection as soon as it is idle.
 */
export async function drain(server: Server, clock: Clock): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const drained = new AbortController();
  void closed.then(() => drained.abort());
  const deadline = clock.monotonicMillis() + DRAIN_MILLIS;
  while (!drained.signal.aborted && clock.monotonicMillis() < deadline) {
    server.closeIdleConnections();
    closeUnusedConnections(server);
    await clock.sleep(DRAIN_CHECK_MILLIS, drained.signal);
  }
  server.closeAllConnections();
  await closed;
}

/** Ends the sending direction only. The client can still send until it closes the connection, at most for 30 s. */
function endSending(socket: Socket): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), END_MILLIS).unref();
  socket.once('close', () => clearTimeout(timer));
}

/**
 * A client that has sent nothing gets no response, because its first request could be on its way. The client would take
 * an error as the response to that request.
 */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex & Partial<Pick<Socket, 'bytesRead'>>): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesRead === 0 || hasBegunAnswer(socket)) {
    socket.destroy();
    return;
  }
  answerAndEnd(socket, error.code);
}

/**
 * Sends an error and ends the connection. The socket is destroyed a little later, because `end` closes only the sending
 * direction, and a client could then keep the connection open.
 */
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
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return [408, 'Request Timeout', 'The request took too long to arrive. Send it again.'];
  return [400, 'Bad Request', 'The request is not valid HTTP/1.1.'];
}

// Whether a response has begun on the socket. A second response would corrupt it.
function hasBegunAnswer(socket: Duplex & { _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}
