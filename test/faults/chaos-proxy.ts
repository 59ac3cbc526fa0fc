import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

import { ClientMessages, type RoundTrip } from '../support/postgres-tap.js';

/**
 * Which traffic a {@link Trap} withholds: a statement before Postgres receives it (`request`), or its response after
 * Postgres has committed (`answer`).
 */
export interface Snare {
  /**
   * Name of the prepared statement, or its SQL text if it has no name. A name also matches the batch version of the
   * statement.
   */
  statement: string;
  /** Prefix of the `application_name` of the connection. Default: any application. */
  application?: string;
  withhold: 'request' | 'answer';
  /** Number of statements to withhold, each on a separate connection. Default: 1. */
  count?: number;
}

/**
 * First five bytes of the message ReadyForQuery, which ends every response of Postgres. The whole message has six
 * bytes: 'Z', the length 5 and a status.
 */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);

/** Withholds statements that match a {@link Snare} until they are delivered or their connections are broken. */
export class Trap {
  /** Resolves when all statements are withheld. If the responses are withheld, Postgres has committed by then. */
  readonly sprung: Promise<void>;
  readonly withhold: Snare['withhold'];
  private left: number;
  private awaited: number;
  private spring: () => void = () => undefined;
  private readonly links: Link[] = [];

  constructor(private readonly snare: Snare) {
    this.withhold = snare.withhold;
    this.left = this.awaited = snare.count ?? 1;
    this.sprung = new Promise((resolve) => (this.spring = resolve));
  }

  /** Returns whether the trap withholds this round trip. If so, counts the round trip and remembers its connection. */
  catches(trip: RoundTrip, link: Link): boolean {
    const { statement, application = '' } = this.snare;
    const isMeant = trip.statement === statement || trip.statement === `${statement}_batch`;
    if (this.left === 0 || !isMeant || !trip.application.startsWith(application)) return false;
    this.left -= 1;
    this.links.push(link);
    return true;
  }

  caught(): void {
    this.awaited -= 1;
    if (this.awaited === 0) this.spring();
  }

  /** Delivers the withheld traffic, and stops withholding. */
  release(): void {
    this.left = 0;
    for (const link of this.links.splice(0)) link.release();
  }

  /** Breaks the connection to the client. The proxy continues to withhold the request. */
  breakOff(): void {
    for (const link of this.links) link.breakOffClient();
  }

  /** Delivers the withheld request to Postgres. Call this after {@link breakOff}. */
  deliver(): void {
    this.left = 0;
    for (const link of this.links.splice(0)) link.deliver();
  }

  /** Drops the withheld traffic, and breaks the connections to the client and to Postgres. */
  cut(): void {
    this.left = 0;
    for (const link of this.links.splice(0)) link.destroy();
  }
}

/**
 * A proxy between a program and one of its stores. It injects network faults, and parses the messages of Postgres
 * clients.
 */
export class ChaosProxy {
  private readonly links = new Set<Link>();
  private readonly traps: Trap[] = [];
  private latency = 0;
  private black = false;

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on('connection', (client) => this.join(client));
  }

  static async open(url: string): Promise<ChaosProxy> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ChaosProxy(server, new URL(url));
  }

  get url(): string {
    const address = this.server.address();
    if (typeof address !== 'object' || address === null) throw new Error('The proxy is closed.');
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(address.port);
    return url.href;
  }

  /** Delays all traffic by `millis` milliseconds in each direction. */
  delay(millis: number): void {
    this.latency = millis;
    for (const link of this.links) link.delay(millis);
  }

  /** Withholds all traffic in both directions without closing connections. */
  blackhole(): void {
    this.black = true;
    for (const link of this.links) link.hold();
  }

  /**
   * Ends a {@link blackhole}. With `resume`, old connections deliver the withheld traffic. With `lost`, old connections
   * stay silent, as after the loss of a network route.
   */
  heal(oldConnections: 'resume' | 'lost'): void {
    this.black = false;
    for (const link of this.links) {
      if (oldConnections === 'resume') link.release();
      else link.lose();
    }
  }

  reset(): void {
    for (const link of this.links) link.destroy();
  }

  trap(snare: Snare): Trap {
    const trap = new Trap(snare);
    this.traps.push(trap);
    return trap;
  }

  /**
   * Lets Postgres execute the next `count` statements with this name, withholds their responses and breaks their
   * connections. Resolves when all these connections are broken.
   */
  async loseAnswers(statement: string, count = 1): Promise<void> {
    for (let lost = 0; lost < count; lost += 1) {
      const trap = this.trap({ statement, withhold: 'answer' });
      await trap.sprung;
      trap.cut();
    }
  }

  async close(): Promise<void> {
    this.server.close();
    this.reset();
    await once(this.server, 'close');
  }

  private join(client: Socket): void {
    const server = connect({ host: this.target.hostname, port: Number(this.target.port || 5432), noDelay: true });
    const reads = this.target.protocol.startsWith('postgres');
    const link: Link = new Link(client, server, reads ? (trip) => this.trapFor(trip, link) : undefined);
    this.links.add(link);
    link.onGone(() => this.links.delete(link));
    link.delay(this.latency);
    if (this.black) link.hold();
  }

  private trapFor(trip: RoundTrip, link: Link): Trap | undefined {
    return this.traps.find((trap) => trap.catches(trip, link));
  }
}

class OneWay {
  private readonly withheld: Buffer[] = [];
  private held = false;
  latency = 0;

  constructor(private readonly to: Socket) {}

  send(chunk: Buffer): void {
    if (this.held) this.withheld.push(chunk);
    else if (this.latency > 0) setTimeout(() => this.to.write(chunk), this.latency);
    else this.to.write(chunk);
  }

  hold(): void {
    this.held = true;
  }

  release(): void {
    this.held = false;
    for (const chunk of this.withheld.splice(0)) this.send(chunk);
  }

  holdsWholeAnswer(): boolean {
    const end = Buffer.concat(this.withheld).subarray(-READY.length - 1);
    return end.subarray(0, READY.length).equals(READY);
  }
}

class Link {
  private readonly toServer: OneWay;
  private readonly toClient: OneWay;
  private isHeld = false;
  private isForgotten = false;
  private oneEnded = false;
  private answerTrap: Trap | undefined;
  private gone: () => void = () => undefined;

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    trapFor: ((trip: RoundTrip) => Trap | undefined) | undefined,
  ) {
    this.toServer = new OneWay(server);
    this.toClient = new OneWay(client);
    const reader = trapFor && new ClientMessages((trip) => this.caughtBy(trapFor(trip)));
    client.on('data', (chunk) => {
      reader?.read(chunk);
      this.toServer.send(chunk);
    });
    server.on('data', (chunk) => {
      this.toClient.send(chunk);
      if (!this.answerTrap || !this.toClient.holdsWholeAnswer()) return;
      this.answerTrap.caught();
      this.answerTrap = undefined;
    });
    for (const end of [client, server]) {
      end.on('error', () => undefined);
      end.on('close', () => this.ended());
    }
  }

  onGone(gone: () => void): void {
    this.gone = gone;
  }

  delay(millis: number): void {
    this.toServer.latency = this.toClient.latency = millis;
  }

  hold(): void {
    this.isHeld = true;
    this.toServer.hold();
    this.toClient.hold();
  }

  release(): void {
    if (this.isForgotten) return;
    this.isHeld = false;
    if (this.oneEnded) {
      this.destroy();
      return;
    }
    this.toServer.release();
    this.toClient.release();
  }

  lose(): void {
    if (this.isHeld) this.isForgotten = true;
  }

  destroy(): void {
    this.isHeld = this.isForgotten = false;
    this.client.resetAndDestroy();
    this.server.resetAndDestroy();
  }

  breakOffClient(): void {
    this.isForgotten = true;
    this.client.resetAndDestroy();
  }

  deliver(): void {
    this.toServer.release();
  }

  private caughtBy(trap: Trap | undefined): void {
    if (trap?.withhold === 'request') {
      this.toServer.hold();
      trap.caught();
    } else if (trap) {
      this.toClient.hold();
      this.answerTrap = trap;
    }
  }

  /** Handles the end of the connection on one side. During a blackhole, the other side is not notified. */
  private ended(): void {
    this.oneEnded = true;
    if (this.client.destroyed && this.server.destroyed) this.gone();
    else if (!this.isHeld && !this.isForgotten) this.destroy();
  }
}
