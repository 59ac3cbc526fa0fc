// eslint-disable-next-line project/no-raw-network -- connects to servers of this process only, by path
import { connect, type Socket } from 'node:net';
import { endSending, type ForwardAddress, preambleOf } from './forwarded-connection.js';
import { answerBody, classifyRequest, requestBody } from './message-heads.js';
import { MessageFraming } from './message-framing.js';

export interface Destinations {
  /** Address of the server of the main thread. */
  ordinary: ForwardAddress;
  /** Address of the server of this thread. The server closes each connection after one response. */
  urgent: () => Promise<ForwardAddress>;
}

export interface ClientConnectionSettings {
  destinations: Destinations;
  /** Milliseconds within which the first request line must arrive. */
  firstLineMillis: number;
  /** Called if the first request line does not arrive in time. */
  onLate: (client: Socket) => void;
  /** Whether the service is shutting down. If so, connecting to an unreachable destination is not retried. */
  isEnding: () => boolean;
}

const RETRY_MILLIS = 50;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Forwards a connection of a client. Its bytes go unchanged to the main thread until an urgent request begins, for
 * example an emergency stop. This request and all later bytes go to the server of this thread. Responses keep the order
 * of the requests.
 */
export class ClientConnection {
  private ordinary: Socket | undefined;
  private urgent: Socket | undefined;
  private isUrgent = false;
  private isOpening = false;
  private hasEnded = false;
  private isClosing = false;
  /** The first bytes of a request that cannot be classified before more bytes arrive. */
  private undecided = NOTHING;
  private requestsBegun = 0;
  private requestsAnswered = 0;
  /** One entry for each request whose response is missing: true if the request is a HEAD request. */
  private readonly headRequests: boolean[] = [];
  private readonly requests = new MessageFraming((head) => {
    this.headRequests.push(head.startsWith('HEAD '));
    return requestBody(head);
  });
  private readonly answers = new MessageFraming((head) => answerBody(head, this.headRequests[0] ?? false));
  private readonly firstLine: NodeJS.Timeout;

  constructor(
    private readonly client: Socket,
    private readonly settings: ClientConnectionSettings,
  ) {
    this.firstLine = setTimeout(() => settings.onLate(client), settings.firstLineMillis);
    client.on('data', (bytes) => this.onRequestBytes(bytes));
    client.on('end', () => this.onClientEnd());
    client.on('error', () => undefined);
    client.on('close', () => {
      clearTimeout(this.firstLine);
      this.ordinary?.destroy();
      this.urgent?.destroy();
    });
  }

  closeIfUnused(): void {
    if (this.client.bytesRead === 0) this.client.destroy();
  }

  private onRequestBytes(bytes: Buffer): void {
    if (this.isClosing) return;
    if (this.urgent) return this.send(bytes, this.urgent);
    const given = this.undecided.length > 0 ? Buffer.concat([this.undecided, bytes]) : bytes;
    this.undecided = NOTHING;
    const end = this.ordinaryEnd(given);
    if (end > 0) this.sendOrdinary(given.subarray(0, end));
    if (end === given.length) return;
    const rest = given.subarray(end);
    if (classifyRequest(rest) === 'urgent') this.turnUrgent(rest);
    // A copy, because the bytes are a view of a larger buffer.
    else this.undecided = Buffer.from(rest);
  }

  /**
   * Returns how many of the bytes belong to the main thread. These are the bytes before the first request that is
   * urgent or not yet classified. Without such a request, these are all bytes.
   */
  private ordinaryEnd(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length) {
      if (this.requests.isAtBoundary) {
        const isOrdinary = classifyRequest(bytes.subarray(at)) === 'ordinary' || this.answers.isUnknown;
        if (!isOrdinary) return at;
        this.requestsBegun += 1;
      }
      at = this.requests.consume(bytes, at);
    }
    return at;
  }

  private sendOrdinary(bytes: Buffer): void {
    if (this.ordinary) return this.send(bytes, this.ordinary);
    this.open(this.settings.destinations.ordinary, bytes, (socket) => {
      this.ordinary = socket;
      socket.on('data', (answer) => this.onOrdinaryAnswer(answer, socket));
      socket.on('end', () => this.onOrdinaryEnd(socket));
      socket.on('close', () => this.onOrdinaryEnd(socket));
    });
  }

  private onOrdinaryAnswer(bytes: Buffer, from: Socket): void {
    for (let at = 0; at < bytes.length;) {
      at = this.answers.consume(bytes, at);
      if (!this.answers.isAtBoundary) continue;
      this.headRequests.shift();
      this.requestsAnswered += 1;
    }
    forward(bytes, from, this.client);
    if (this.isUrgent) this.answerUrgent();
  }

  /** Called if the main thread closes its connection. A response to an urgent request can still be sent. */
  private onOrdinaryEnd(socket: Socket): void {
    if (socket !== this.ordinary) return;
    this.ordinary = undefined;
    socket.destroy();
    this.requestsAnswered = this.requestsBegun;
    if (this.isUrgent) this.answerUrgent();
    else this.closeClient();
  }

  private turnUrgent(bytes: Buffer): void {
    this.isUrgent = true;
    this.pauseClient();
    const opening = this.settings.destinations.urgent().then((address) => {
      this.open(address, bytes, (socket) => {
        this.urgent = socket;
        socket.pause();
        socket.on('data', (answer) => forward(answer, socket, this.client));
        socket.on('end', () => void socket.destroy());
        socket.on('close', () => this.closeClient());
        this.answerUrgent();
      });
    });
    opening.catch(() => this.client.destroy());
  }

  /** Sends the response to the urgent request when all earlier responses have been sent. */
  private answerUrgent(): void {
    if (this.requestsAnswered < this.requestsBegun || !this.urgent) return;
    const { ordinary } = this;
    this.ordinary = undefined;
    ordinary?.end();
    this.urgent.resume();
  }

  /**
   * Connects to a server and sends the first bytes. Retries if connecting fails, for example because the backlog is
   * full.
   */
  private open(address: ForwardAddress, first: Buffer, opened: (socket: Socket) => void): void {
    const { client } = this;
    if (client.destroyed) return;
    this.pauseClient();
    const socket = connect({ path: address.path, allowHalfOpen: true });
    const retry = (): void => {
      if (this.settings.isEnding()) client.destroy();
      else setTimeout(() => this.open(address, first, opened), RETRY_MILLIS);
    };
    socket.once('error', retry);
    socket.once('connect', () => {
      socket.off('error', retry).on('error', () => undefined);
      if (client.destroyed) return void socket.destroy();
      socket.write(preambleOf(address, client.remoteAddress));
      socket.write(first);
      if (this.hasEnded) socket.end();
      opened(socket);
      this.isOpening = false;
      client.resume();
    });
  }

  /** Stops reading from the client until the destination is connected. */
  private pauseClient(): void {
    clearTimeout(this.firstLine);
    this.isOpening = true;
    this.client.pause();
  }

  /** Pauses the client while the destination cannot take more bytes. */
  private send(bytes: Buffer, to: Socket): void {
    if (to.destroyed || to.write(bytes)) return;
    this.client.pause();
    to.once('drain', () => {
      if (!this.isOpening) this.client.resume();
    });
  }

  private onClientEnd(): void {
    this.hasEnded = true;
    if (this.isClosing) return;
    const destination = this.urgent ?? this.ordinary;
    if (destination) destination.end();
    else if (this.undecided.length === 0) this.client.end();
    // The client ended its side within a request. The main thread gets the bytes of this request and handles the error.
    else this.sendOrdinary(this.undecided);
  }

  /**
   * Closes the connection after the last response. The client may still be sending the body of a rejected request.
   * These bytes are read and discarded until the client closes its side. If the connection were closed with unread
   * bytes, the client could lose the response (RFC 9112, section 9.6).
   */
  private closeClient(): void {
    const { client } = this;
    this.isClosing = true;
    endSending(client);
    client.resume();
  }
}

/** Pauses the source while the client cannot take more bytes. */
function forward(bytes: Buffer, from: Socket, client: Socket): void {
  if (client.destroyed || client.write(bytes)) return;
  from.pause();
  client.once('drain', () => from.resume());
}
