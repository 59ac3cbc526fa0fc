import type { ImapFlow } from 'imapflow';
import type { HostGuard } from './host-guard.js';

export interface ImapLogin {
  host: string;
  port: number;
  security: 'tls' | 'starttls';
  user: string;
  password: string;
  folder: string;
}

/** Ports of IMAP below 1024: plain with STARTTLS, and TLS. */
const IMAP_PORTS = [143, 993];
const CONNECT_MILLIS = 15_000;
/** Servers may end an IDLE after half an hour (RFC 2177), and routers forget silent connections sooner. */
const SILENCE_MILLIS = 5 * 60_000;

/** A folder on an IMAP server, opened for reading: what is in it stays as it is, unread mails included. */
export class ImapFolder {
  private constructor(
    private readonly client: ImapFlow,
    readonly uidValidity: bigint,
  ) {}

  /**
   * Connects to an address that the guard has vetted, TLS and certificate in order, and opens the folder.
   * @param largest bytes; a larger mail breaks the connection instead of filling the memory
   * @throws Error with a message for people; EgressError where the host is refused
   */
  static async open(login: ImapLogin, guard: HostGuard, largest: number): Promise<ImapFolder> {
    const [target] = await guard.resolve(login.host, login.port, IMAP_PORTS);
    const isTls = login.security === 'tls';
    // Loaded by the first mailbox: most processes watch none.
    const imapflow = await import('imapflow');
    const client = new imapflow.ImapFlow({
      host: target?.address,
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
      await client.connect();
      const { uidValidity } = await client.mailboxOpen(login.folder, { readOnly: true });
      return new ImapFolder(client, uidValidity);
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
    // `n:*` always gives the last mail, whatever its uid.
    return (await this.search({ uid: `${lastUid + 1}:*` })).filter((uid) => uid > lastUid);
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

  /** Resolves when something has changed in the folder, after some minutes at the latest, or when the connection has ended. */
  async changed(): Promise<void> {
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

  get isOpen(): boolean {
    return this.client.usable;
  }

  /** Breaks whatever is under way. */
  close(): void {
    this.client.close();
  }

  private async search(query: Parameters<ImapFlow['search']>[0]): Promise<number[]> {
    const found = await this.client.search(query, { uid: true });
    return Array.isArray(found) ? [...found].sort((one, other) => one - other) : [];
  }
}
