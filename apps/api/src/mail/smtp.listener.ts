import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { LOGGER, type Logger } from '@app/platform/observability';
import { type MailConfig, mailConfig } from '@app/platform/mail';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import { type EmailConfig, emailConfig, EmailIntakeService, together } from '@app/triggers';
import { Inject, Injectable } from '@nestjs/common';
import type { SMTPServer, SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import { HeldContentsService } from '@app/files';
import { IncomingMails } from './incoming-mails.js';
import {
  replyTo,
  SmtpReply,
  TOO_BUSY,
  TOO_LARGE,
  TOO_MANY_CONNECTIONS,
  TOO_MANY_RECIPIENTS,
  TRY_AGAIN,
} from './smtp-replies.js';

/** Maximum time in milliseconds between two commands. After this time, the session is ended. */
const SILENCE_LIMIT = 60_000;
/** Maximum duration of a session in milliseconds. */
const SESSION_LIMIT = 10 * 60_000;
/** Milliseconds for which the shutdown waits for sessions that are transferring a mail. */
const CLOSE_LIMIT = 15_000;
const MAX_CLIENTS = 200;
/** Maximum number of connections from one address. Postfix has the same limit. */
const MAX_CLIENTS_PER_ADDRESS = 50;
/**
 * Maximum number of RCPT commands of a mail, including repeated addresses. RFC 5321 (4.5.3.1.8) requires at least 100.
 */
const MAX_RECIPIENTS = 100;
/** Number of mails of the maximum size that may be held at the same time. */
const LARGE_MAILS = 8;

const TAKEN = '2.0.0 The mail has been accepted';

type Done<T = never> = (error?: Error | null, result?: T) => void;

/**
 * The SMTP or LMTP server of the service. It accepts only mail for the mailboxes of agents, relays nothing and offers
 * no login. It replies 250 only after the runs of a mail are committed. If the service fails earlier, it replies 451,
 * and the sender keeps the mail.
 */
@Injectable()
export class SmtpListener {
  private server: SMTPServer | undefined;
  private readonly mails: IncomingMails;
  /** Ids of the sessions that are transferring a mail. */
  private readonly transfers = new Set<string>();
  private readonly deadlines = new Map<string, NodeJS.Timeout>();
  /** Number of RCPT commands of a mail, by its envelope. */
  private readonly recipients = new WeakMap<object, number>();

  constructor(
    private readonly intake: EmailIntakeService,
    contents: HeldContentsService,
    @Inject(emailConfig.KEY) private readonly config: EmailConfig,
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(mailConfig.KEY) private readonly size: Pick<MailConfig, 'smtpMaxMessageBytes'>,
  ) {
    this.mails = new IncomingMails(contents, LARGE_MAILS * size.smtpMaxMessageBytes);
  }

  /** Starts the server if a port is configured. Rejects if the port is in use or the certificate cannot be read. */
  async start(): Promise<void> {
    const { smtpListenPort: port } = this.config;
    const { host } = this.address;
    if (port === 0) return;
    const { SMTPServer } = await import('smtp-server');
    (await import('./smtp-data-stream.js')).readDataInOnePass();
    const server = new SMTPServer({ ...this.options(), ...(await this.certificate()) });
    server.on('error', (error) => this.logger.info({ err: error }, 'smtp: connection failed'));
    server.listen(port, host);
    await once(server.server, 'listening');
    this.server = server;
    this.logger.info({ host, port, protocol: this.config.smtpListenProtocol }, 'smtp: listening for mail');
  }

  /** Stops accepting mails, and waits until the mails that clients are already sending have arrived. */
  async stop(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    await new Promise<void>((resolve) => {
      server.close(resolve);
      for (const connection of server.connections) {
        // A session that is not transferring a mail is closed at once. Otherwise its client could stay connected
        // indefinitely.
        if (!this.transfers.has(connection.id)) connection.send(421, '4.3.2 The service is shutting down');
      }
    });
    for (const deadline of this.deadlines.values()) clearTimeout(deadline);
  }

  private options(): ConstructorParameters<typeof SMTPServer>[0] {
    return {
      name: new URL(this.address.publicUrl).hostname,
      banner: 'Agent Automation Service',
      lmtp: this.config.smtpListenProtocol === 'lmtp',
      size: this.size.smtpMaxMessageBytes,
      rejectOversized: true,
      disabledCommands: this.config.smtpTls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
      authOptional: true,
      disableReverseLookup: true,
      maxClients: MAX_CLIENTS,
      maxRecipients: MAX_RECIPIENTS,
      socketTimeout: SILENCE_LIMIT,
      closeTimeout: CLOSE_LIMIT,
      onConnect: (session, done) => this.admit(session, done),
      onClose: (session) => this.forget(session),
      onRcptTo: ({ address }, session, done) => this.answer(this.expect(address, session), done),
      onData: (stream, session, done) => this.answer(this.take(stream, session), done),
    };
  }

  private async certificate(): Promise<{ cert?: Buffer; key?: Buffer }> {
    const { smtpTls } = this.config;
    if (!smtpTls) return {};
    const [cert, key] = await Promise.all([readFile(smtpTls.certificateFile), readFile(smtpTls.keyFile)]);
    return { cert, key };
  }

  private admit({ id, remoteAddress }: SMTPServerSession, done: Done): void {
    const connections = [...(this.server?.connections ?? [])].filter((each) => each.remoteAddress === remoteAddress);
    if (connections.length > MAX_CLIENTS_PER_ADDRESS) return done(TOO_MANY_CONNECTIONS);
    const end = (): void => {
      const connection = [...(this.server?.connections ?? [])].find((each) => each.id === id);
      connection?.send(421, '4.4.2 The session took too long');
    };
    this.deadlines.set(id, setTimeout(end, SESSION_LIMIT).unref());
    done();
  }

  private forget({ id }: SMTPServerSession): void {
    clearTimeout(this.deadlines.get(id));
    this.deadlines.delete(id);
  }

  private async expect(address: string, { envelope }: SMTPServerSession): Promise<undefined> {
    const recipients = (this.recipients.get(envelope) ?? 0) + 1;
    if (recipients > MAX_RECIPIENTS) throw TOO_MANY_RECIPIENTS;
    this.recipients.set(envelope, recipients);
    const reply = replyTo(await this.intake.expects(address));
    if (reply) throw reply;
  }

  /** Accepts a mail. LMTP gets one reply for each recipient, and SMTP gets one reply for all of them. */
  private async take(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string | (string | Error)[]> {
    const { mailFrom, rcptTo } = session.envelope;
    const mailboxes = rcptTo.map(({ address }) => address);
    const sender = mailFrom ? mailFrom.address : '';
    this.transfers.add(session.id);
    const verdicts = await this.mails
      .receive(stream, async (received) => {
        if (received.kind === 'no_room') throw TOO_BUSY;
        if (received.kind === 'too_large') return this.intake.refuse(mailboxes, TOO_LARGE);
        return this.intake.deliver({ content: received.content, sender, mailboxes });
      })
      .finally(() => this.transfers.delete(session.id));
    if (this.config.smtpListenProtocol === 'lmtp') return verdicts.map((verdict) => replyTo(verdict) ?? TAKEN);
    const reply = replyTo(together(verdicts));
    if (reply) throw reply;
    return TAKEN;
  }

  /** A failure of the service becomes a temporary error, so that the sender keeps the mail and retries. */
  private answer<T>(work: Promise<T>, done: Done<T>): void {
    work.then(
      (result) => done(null, result),
      (error: unknown) => {
        if (!(error instanceof SmtpReply)) this.logger.warn({ err: error }, 'smtp: mail deferred');
        done(error instanceof SmtpReply ? error : TRY_AGAIN);
      },
    );
  }
}
