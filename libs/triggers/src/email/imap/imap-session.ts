import type { Socket } from 'node:net';
import { DomainError, systemClock } from '@app/kernel';
import { ReceivedBytes } from '@app/platform/sandbox';
import { ImapFlow } from 'imapflow';

export interface ImapLogin {
  host: string;
  port: number;
  security: 'tls' | 'starttls';
  user: string;
  password: string;
  folder: string;
}

/** Uids of one answer. Mails beyond it are found by the next look. */
const MOST_UIDS = 100_000;
/** Between two reports of a change: a server can send changes without end. */
const CHANGE_MILLIS = 500;
const CONNECT_MILLIS = 15_000;
/** Bytes that an answer may have beside mails. */
const MORE_BYTES = 16 * 1024 * 1024;
/** Servers may end an IDLE after half an hour (RFC 2177), and routers drop silent connections sooner. */
const SILENCE_MILLIS = 5 * 60_000;

/** A connection to a folder, opened for reading. Runs in the confined process only. */
export class ImapSession {
  private lastChange = 0;
  /** A change that was reported since the last search, also outside of an IDLE. */
  private isChanged = false;

  private constructor(
    private readonly client: ImapFlow,
    private readonly received: ReceivedBytes,
    readonly uidValidity: bigint,
  ) {
    client.on('exists', () => (this.isChanged = true));
  }

  /** A call begins, with a limit of its own for what the server sends. */
  restart(): void {
    this.received.restart();
  }

  /**
   * Connects to `address`, TLS and certificate in order, and opens the folder.
   * @param largest bytes; a larger mail breaks the connection instead of filling the memory
   * @throws Error with a message for people
   */
  static async open(login: ImapLogin, address: string, largest: number): Promise<ImapSession> {
    const isTls = login.security === 'tls';
    const client = new ImapFlow({
      host: address,
      servername: login.host,
      port: login.port,
      secure: isTls,
      ...(!isTls && { doSTARTTLS: true }),
      auth: { user: login.user, pass: login.password },
      logger: false,
      disableAutoIdle: true,
      connectionTimeout: CONNECT_MILLIS,
      socketTimeout: SILENCE_MILLIS + CONNECT_MILLIS,
      maxIdleTime: SILENCE_MILLIS,
      maxLiteralSize: largest,
      maxLineLength: largest,
    });
    // What breaks the connection also rejects the command under way, or ends the wait.
    client.on('error', () => undefined);
    try {
      await connected(client, 2 * largest + MORE_BYTES);
      const received = new ReceivedBytes(socketOf(client), 2 * largest + MORE_BYTES);
      const { uidValidity } = await client.mailboxOpen(login.folder, { readOnly: true });
      return new ImapSession(client, received, uidValidity);
    } catch (error) {
      client.close();
      throw error;
    }
  }

  /** The uid behind which the mails begin that the server got at `since` or later. */
  async uidBefore(since: Date): Promise<number> {
    // The search knows days only, and whose days is not said.
    const day = new Date(since.getTime() - 36 * 3_600_000);
    const uids = await this.search({ since: day });
    for (const uid of uids) {
      const mail = await this.client.fetchOne(String(uid), { internalDate: true }, { uid: true });
      if (mail && new Date(mail.internalDate ?? 0).getTime() >= since.getTime() - 1_000) return uid - 1;
    }
    const all = await this.search({ all: true });
    return all.at(-1) ?? 0;
  }

  /** Uids behind `lastUid`, ascending. */
  async uidsAfter(lastUid: number): Promise<number[]> {
    this.isChanged = false;
    // `n:*` always gives the last mail, whatever its uid.
    return (await this.search({ uid: `${lastUid + 1}:*` })).filter((uid) => uid > lastUid).slice(0, MOST_UIDS);
  }

  /** Bytes; undefined where the mail is gone. */
  async sizeOf(uid: number): Promise<number | undefined> {
    const mail = await this.client.fetchOne(String(uid), { size: true }, { uid: true });
    return mail ? mail.size : undefined;
  }

  async read(uid: number): Promise<Buffer | undefined> {
    const mail = await this.client.fetchOne(String(uid), { source: true }, { uid: true });
    return mail ? mail.source : undefined;
  }

  /** Resolves when the folder has changed, after some minutes at the latest, or when the connection has ended. */
  async changed(): Promise<void> {
    if (!this.isChanged) await this.idle();
    const pause = this.lastChange + CHANGE_MILLIS - systemClock.monotonicMillis();
    if (pause > 0) await systemClock.sleep(pause);
    this.lastChange = systemClock.monotonicMillis();
  }

  get isOpen(): boolean {
    return this.client.usable;
  }

  /** Breaks whatever is under way. */
  close(): void {
    this.client.close();
  }

  private async idle(): Promise<void> {
    const { client } = this;
    let stop: () => void = () => undefined;
    const changed = new Promise<void>((resolve) => (stop = resolve));
    client.once('exists', stop);
    client.once('close', stop);
    const idling = client.idle().then(stop, stop);
    await changed;
    client.off('exists', stop);
    client.off('close', stop);
    // Any command ends an IDLE.
    if (client.usable) await client.noop();
    await idling;
  }

  private async search(query: Parameters<ImapFlow['search']>[0]): Promise<number[]> {
    const found = await this.client.search(query, { uid: true });
    if (!this.client.usable) throw new DomainError('unavailable', 'The IMAP server has closed the connection.');
    return Array.isArray(found) ? [...found].sort((one, other) => one - other) : [];
  }
}

/** Connects and logs in. A server that sends more than `maxBytes` before the login is complete ends the connection. */
async function connected(client: ImapFlow, maxBytes: number): Promise<void> {
  const connecting = client.connect();
  // Without a proxy the socket exists at once. STARTTLS replaces it, and the replaced one still counts the bytes.
  const received = new ReceivedBytes(socketOf(client), maxBytes);
  await connecting.finally(() => received.stop());
}

/** What the types of imapflow leave out. */
function socketOf(client: ImapFlow): Socket {
  return (client as object as { socket: Socket }).socket;
}
