import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createServer, type Server, type TLSSocket } from 'node:tls';

import { SELF_SIGNED } from './mail-sender.js';

interface StoredMail {
  uid: number;
  raw: Buffer;
  receivedAt: Date;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * An IMAP server over TLS with one account and one folder. It implements the part of RFC 3501 and IDLE (RFC 2177) that
 * a client needs to watch a folder. The IMAP client of the product connects to it.
 */
export class ImapServer {
  uidValidity = 1;
  /** If set, the server sends this response to LOGIN instead of OK. */
  refusal: string | undefined;
  /** If set, this function handles each connection after its login, and the server sends nothing more. */
  hostile: ((socket: TLSSocket) => void) | undefined;
  logins = 0;
  private nextUid = 1;
  private readonly mails: StoredMail[] = [];
  private readonly sessions = new Set<ImapSession>();

  private constructor(
    private readonly server: Server,
    readonly user: string,
    readonly password: string,
  ) {
    server.on('secureConnection', (socket) => {
      const session = new ImapSession(this, socket);
      this.sessions.add(session);
      socket.on('close', () => this.sessions.delete(session));
    });
  }

  static async start(user: string, password: string): Promise<ImapServer> {
    const certificate = { cert: readFileSync(SELF_SIGNED.SMTP_TLS_CERT), key: readFileSync(SELF_SIGNED.SMTP_TLS_KEY) };
    const server = createServer(certificate).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ImapServer(server, user, password);
  }

  get port(): number {
    const address = this.server.address();
    if (typeof address !== 'object' || address === null) throw new Error('The IMAP server is closed.');
    return address.port;
  }

  get idling(): number {
    return [...this.sessions].filter(({ idleTag }) => idleTag !== undefined).length;
  }

  get connections(): number {
    return this.sessions.size;
  }

  append(raw: string, receivedAt = new Date()): void {
    this.mails.push({ uid: this.nextUid++, raw: Buffer.from(raw.replaceAll('\n', '\r\n')), receivedAt });
    for (const session of this.sessions) session.notify();
  }

  /** Assigns new uids to all mails and closes every connection, as a mail server does after a restore from a backup. */
  renumber(): void {
    this.uidValidity += 1;
    for (const mail of this.mails) mail.uid = this.nextUid++;
    this.drop();
  }

  drop(): void {
    for (const session of this.sessions) session.end();
  }

  list(): readonly StoredMail[] {
    return this.mails;
  }

  async close(): Promise<void> {
    this.server.close();
    this.drop();
    await once(this.server, 'close');
  }
}

class ImapSession {
  idleTag: string | undefined;
  private isOpen = false;
  private isHostile = false;

  constructor(
    private readonly server: ImapServer,
    private readonly socket: TLSSocket,
  ) {
    const lines = createInterface({ input: socket });
    // If a client is killed, its connection is reset. Both the socket and the reader then emit an error.
    for (const each of [socket, lines]) each.on('error', () => undefined);
    lines.on('line', (line) => this.receive(line));
    this.say('* OK [CAPABILITY IMAP4rev1 IDLE] ready');
  }

  notify(): void {
    if (this.isOpen) this.say(`* ${this.server.list().length} EXISTS`);
  }

  end(): void {
    this.socket.destroy();
  }

  private say(line: string): void {
    this.socket.write(`${line}\r\n`);
  }

  private receive(line: string): void {
    if (this.isHostile) return;
    if (this.idleTag !== undefined) {
      if (/^done$/i.test(line)) this.say(`${this.idleTag} OK idle ended`);
      this.idleTag = undefined;
      return;
    }
    const [, tag = '*', command = '', rest = ''] = /^(\S+) ((?:UID )?\S+) ?(.*)$/i.exec(line) ?? [];
    this.answer(tag, command.toUpperCase(), rest);
  }

  private answer(tag: string, command: string, rest: string): void {
    switch (command) {
      case 'CAPABILITY':
        this.say('* CAPABILITY IMAP4rev1 IDLE');
        return this.say(`${tag} OK`);
      case 'LOGIN':
        return this.login(tag, rest);
      case 'LIST':
        this.say('* LIST (\\HasNoChildren) "/" INBOX');
        return this.say(`${tag} OK`);
      case 'SELECT':
      case 'EXAMINE':
        return this.open(tag, rest);
      case 'UID SEARCH':
        this.say(`* SEARCH ${this.search(rest).join(' ')}`.trimEnd());
        return this.say(`${tag} OK`);
      case 'UID FETCH':
        return this.fetch(tag, rest);
      case 'IDLE':
        this.idleTag = tag;
        return this.say('+ idling');
      case 'NOOP':
      case 'LOGOUT':
        return this.say(`${tag} OK`);
      default:
        return this.say(`${tag} BAD ${command} is not known`);
    }
  }

  private login(tag: string, rest: string): void {
    const expected = [this.server.user, this.server.password].map((text) => `"?${text}"?`).join(' ');
    if (this.server.refusal !== undefined || !new RegExp(`^${expected}$`).test(rest)) {
      return this.say(`${tag} NO [AUTHENTICATIONFAILED] ${this.server.refusal ?? 'wrong password'}`);
    }
    this.server.logins += 1;
    this.say(`${tag} OK [CAPABILITY IMAP4rev1 IDLE] welcome`);
    if (!this.server.hostile) return;
    this.isHostile = true;
    this.server.hostile(this.socket);
  }

  private open(tag: string, folder: string): void {
    if (!/^"?INBOX"?/i.test(folder)) return this.say(`${tag} NO there is no such folder`);
    this.isOpen = true;
    this.say('* FLAGS (\\Seen)');
    this.notify();
    this.say(`* OK [UIDVALIDITY ${this.server.uidValidity}]`);
    this.say(`* OK [UIDNEXT ${(this.server.list().at(-1)?.uid ?? 0) + 1}]`);
    this.say(`${tag} OK [READ-ONLY] open`);
  }

  private search(criteria: string): number[] {
    const mails = this.server.list();
    const after = /UID (\d+):\*/i.exec(criteria)?.[1];
    // RFC 3501: `n:*` matches the last mail even if its uid is smaller than n.
    if (after !== undefined)
      return mails.filter(({ uid }) => uid >= Number(after) || uid === mails.at(-1)?.uid).map(({ uid }) => uid);
    const day = /SINCE "?(\d+)-(\w+)-(\d+)/i.exec(criteria);
    if (!day) return mails.map(({ uid }) => uid);
    const since = Date.UTC(Number(day[3]), MONTHS.indexOf(day[2] ?? ''), Number(day[1]));
    return mails.filter(({ receivedAt }) => receivedAt.getTime() >= since).map(({ uid }) => uid);
  }

  private fetch(tag: string, rest: string): void {
    const uid = Number.parseInt(rest, 10);
    const position = this.server.list().findIndex((mail) => mail.uid === uid);
    const mail = this.server.list()[position];
    if (mail) {
      const items = [`UID ${uid}`];
      if (/RFC822\.SIZE/i.test(rest)) items.push(`RFC822.SIZE ${mail.raw.length}`);
      if (/INTERNALDATE/i.test(rest)) items.push(`INTERNALDATE "${imapDate(mail.receivedAt)}"`);
      const [, from, length] = /BODY\.PEEK\[\]<(\d+)\.(\d+)>/i.exec(rest) ?? [];
      if (from !== undefined) {
        const part = mail.raw.subarray(Number(from), Number(from) + Number(length));
        items.push(`BODY[]<${from}> {${part.length}}\r\n${part.toString('latin1')}`);
      }
      this.socket.write(Buffer.from(`* ${position + 1} FETCH (${items.join(' ')})\r\n`, 'latin1'));
    }
    this.say(`${tag} OK`);
  }
}

function imapDate(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(':');
  return `${two(date.getUTCDate())}-${MONTHS[date.getUTCMonth()] ?? ''}-${date.getUTCFullYear()} ${time} +0000`;
}
