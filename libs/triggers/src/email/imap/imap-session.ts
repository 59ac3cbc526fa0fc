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

/** A part of a mail. Positions and lengths are in bytes. */
export interface MailWindow {
  uid: number;
  start: number;
  maxLength: number;
}

/** Maximum number of uids that one search returns. The next search returns the following uids. */
const MAX_UIDS = 100_000;
const CHANGE_MILLIS = 500;
const CONNECT_MILLIS = 15_000;
/** Number of bytes that a server may send during one method call, in addition to twice the maximum size of a mail. */
const MORE_BYTES = 16 * 1024 * 1024;
/** Servers may end an IDLE after half an hour (RFC 2177), and routers drop silent connections even earlier. */
const SILENCE_MILLIS = 5 * 60_000;

/** Runs only in the confined process. */
export class ImapSession {
  private lastChange = 0;
  private isChanged = false;

  private constructor(
    private readonly client: ImapFlow,
    private readonly received: ReceivedBytes,
    readonly uidValidity: bigint,
  ) {
    client.on('exists', () => (this.isChanged = true));
  }

  /** Must be called before each method call. */
  restart(): void {
    this.received.restart();
  }

  /** @throws Error with a message for users */
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
    // The listener does nothing, because the error also rejects the running command, or ends the wait for a change.
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

  async uidBefore(since: Date): Promise<number> {
    // IMAP searches by day and does not define the time zone, so the search begins 36 hours before `since`.
    const day = new Date(since.getTime() - 36 * 3_600_000);
    const uids = await this.search({ since: day });
    for (const uid of uids) {
      const mail = await this.client.fetchOne(String(uid), { internalDate: true }, { uid: true });
      if (mail && new Date(mail.internalDate ?? 0).getTime() >= since.getTime() - 1_000) return uid - 1;
    }
    const all = await this.search({ all: true });
    return all.at(-1) ?? 0;
  }

  async uidsAfter(lastUid: number): Promise<number[]> {
    this.isChanged = false;
    // A search for `n:*` always returns the last mail, even if its uid is less than n.
    return (await this.search({ uid: `${lastUid + 1}:*` })).filter((uid) => uid > lastUid).slice(0, MAX_UIDS);
  }

  async sizeOf(uid: number): Promise<number | undefined> {
    const mail = await this.client.fetchOne(String(uid), { size: true }, { uid: true });
    return mail ? mail.size : undefined;
  }

  /** Returns at most `maxLength` bytes of the mail. Fewer than these are its last ones. */
  async read({ uid, start, maxLength }: MailWindow): Promise<Buffer | undefined> {
    const mail = await this.client.fetchOne(String(uid), { source: { start, maxLength } }, { uid: true });
    return mail ? mail.source : undefined;
  }

  async changed(): Promise<void> {
    if (!this.isChanged) await this.idle();
    const pause = this.lastChange + CHANGE_MILLIS - systemClock.monotonicMillis();
    if (pause > 0) await systemClock.sleep(pause);
    this.lastChange = systemClock.monotonicMillis();
  }

  get isOpen(): boolean {
    return this.client.usable;
  }

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
    // Any command ends the IDLE. This command has no other effect.
    if (client.usable) await client.noop();
    await idling;
  }

  private async search(query: Parameters<ImapFlow['search']>[0]): Promise<number[]> {
    const found = await this.client.search(query, { uid: true });
    if (!this.client.usable) throw new DomainError('unavailable', 'The IMAP server has closed the connection.');
    return Array.isArray(found) ? [...found].sort((one, other) => one - other) : [];
  }
}

/** If the server sends more than `maxBytes` before the login is complete, the connection is closed. */
async function connected(client: ImapFlow, maxBytes: number): Promise<void> {
  const connecting = client.connect();
  // Without a proxy, `connect` creates the socket before it returns, so `socketOf` finds it. STARTTLS replaces the
  // socket of the client. All bytes still pass through the first socket, so `received` counts them.
  const received = new ReceivedBytes(socketOf(client), maxBytes);
  await connecting.finally(() => received.stop());
}

function socketOf(client: ImapFlow): Socket {
  return (client as object as { socket: Socket }).socket;
}
