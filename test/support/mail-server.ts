import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerAddress } from 'smtp-server';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** Unfolded header values, by header name in lower case. */
  headers: Record<string, string>;
  raw: string;
}

/**
 * How the server handles a message. `refuse` is the SMTP status of a rejection. With `hang-…`, the server does not
 * respond. With `cut-after-data`, the server closes the connection.
 */
export type MailBehaviour = 'accept' | { refuse: number } | 'hang-after-data' | 'cut-after-data' | 'hang-at-greeting';

export class MailServer {
  readonly mails: ReceivedMail[] = [];
  behaviour: MailBehaviour = 'accept';
  /** Recipients that the server rejects. */
  readonly unknown = new Set<string>();
  messages = 0;

  private readonly server: SMTPServer;

  private constructor(private readonly users: ReadonlyMap<string, string>) {
    this.server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      authOptional: users.size === 0,
      disableReverseLookup: true,
      onConnect: (_session, done) => {
        if (this.behaviour !== 'hang-at-greeting') done();
      },
      onAuth: ({ username = '', password = '' }, _session, done) =>
        users.get(username) === password ? done(null, { user: username }) : done(smtpError(535, 'Not you.')),
      onRcptTo: ({ address }, _session, done) =>
        done(this.unknown.has(address) ? smtpError(550, 'No such mailbox.') : null),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => this.take(Buffer.concat(chunks).toString('utf8'), session.envelope, done));
      },
    });
    this.server.on('error', () => undefined);
  }

  static async start(users: ReadonlyMap<string, string> = new Map()): Promise<MailServer> {
    const mail = new MailServer(users);
    await once(mail.server.listen(0, '127.0.0.1'), 'listening');
    return mail;
  }

  get url(): string {
    const [user] = this.users;
    const credentials = user ? `${encodeURIComponent(user[0])}:${encodeURIComponent(user[1])}@` : '';
    return `smtp://${credentials}127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  reset(): void {
    this.mails.length = 0;
    this.messages = 0;
    this.behaviour = 'accept';
    this.unknown.clear();
  }

  async close(): Promise<void> {
    for (const connection of this.server.connections)
      (connection as { _socket: { destroy(): void } })._socket.destroy();
    await new Promise<void>((resolve) => this.server.close(resolve));
  }

  private take(
    raw: string,
    { mailFrom, rcptTo }: { mailFrom: SMTPServerAddress | false; rcptTo: SMTPServerAddress[] },
    done: (error?: Error | null, message?: string) => void,
  ): void {
    this.messages += 1;
    const { behaviour } = this;
    if (behaviour === 'hang-after-data') return;
    if (behaviour === 'cut-after-data') {
      for (const connection of this.server.connections)
        (connection as { _socket: { destroy(): void } })._socket.destroy();
      return;
    }
    if (typeof behaviour === 'object') return done(smtpError(behaviour.refuse, 'Not taken.'));
    const from = mailFrom === false ? '' : mailFrom.address;
    this.mails.push({ from, to: rcptTo.map((to) => to.address), headers: headersOf(raw), raw });
    done(null, 'taken');
  }
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

function headersOf(raw: string): Record<string, string> {
  const [head = ''] = raw.split('\r\n\r\n');
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
}
