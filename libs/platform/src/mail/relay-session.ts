import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { MAX_TIMER_MILLIS } from '@app/kernel';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { EgressError, type StreamedBody } from '@app/platform/egress';
import {
  type MailAttachment,
  type MailReceipt,
  MailRefused,
  type MailSending,
  type OutgoingMail,
} from './outgoing-mail.js';

const CONNECT_MILLIS = 5_000;

/** A message as it is sent. `size` is missing if its attachments are read while it is sent. */
interface Message {
  size?: number;
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>;
}

async function composed({ messageId, headers, html, to, cc, ...mail }: OutgoingMail): Promise<Message> {
  const { from, subject, text, replyTo, inReplyTo, references = [], attachments = [] } = mail;
  const content = {
    from,
    subject,
    text,
    to: to.map(bare),
    cc: cc.map(bare),
    messageId,
    headers: { ...headers },
    ...(html !== null && { html }),
    ...(replyTo !== undefined && { replyTo: bare(replyTo) }),
    ...(inReplyTo !== undefined && { inReplyTo }),
    ...(references.length > 0 && { references: [...references] }),
    // All attempts have the same boundaries.
    baseBoundary: createHash('sha256').update(messageId).digest('hex').slice(0, 32),
    ...(attachments.length > 0 && { attachments: attachments.map(attachmentOf) }),
    // The text and the attachments are already in memory, so the library must not read files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const message = new MailComposer(content).compile();
  if (attachments.some(({ content: bytes }) => !(bytes instanceof Uint8Array)))
    return { chunks: message.createReadStream() as AsyncIterable<Buffer> };
  const raw = await message.build();
  return { size: raw.length, chunks: [raw] };
}

function attachmentOf({ content, ...attachment }: MailAttachment): object {
  if (content instanceof Uint8Array) return { ...attachment, content: Buffer.from(content) };
  return { ...attachment, content: Readable.from(bytesOf(content), { objectMode: false }) };
}

async function* bytesOf(content: StreamedBody): AsyncGenerator<Uint8Array> {
  yield* await content.open();
}

/** The library does not parse objects, but it could parse a string as several addresses. */
function bare(address: string): { name: string; address: string } {
  return { name: '', address };
}

export class RelaySession {
  private readonly connection: SMTPConnection;
  private sent = false;
  private settled = false;
  private fail: (error: Error) => void = () => undefined;

  constructor(
    private readonly relay: URL,
    private readonly sending: MailSending,
  ) {
    const secure = relay.protocol === 'smtps:';
    this.connection = new SMTPConnection({
      host: relay.hostname.replace(/^\[|\]$/g, ''),
      port: Number(relay.port) || (secure ? 465 : 587),
      secure,
      connectionTimeout: Math.min(CONNECT_MILLIS, sending.timeoutMs),
      socketTimeout: Math.min(sending.timeoutMs, MAX_TIMER_MILLIS),
      socketCloseTimeout: 0,
      allowInternalNetworkInterfaces: true,
    });
  }

  async send(mail: OutgoingMail): Promise<MailReceipt> {
    const raw = await composed(mail);
    const { signal, timeoutMs } = this.sending;
    const aborted = (): void => this.giveUp('aborted', 'The sender aborted the mail.');
    const limit = setTimeout(
      () => this.giveUp('timeout', `The mail relay did not accept the mail within ${timeoutMs} ms.`),
      Math.min(timeoutMs, MAX_TIMER_MILLIS),
    );
    try {
      return await new Promise<MailReceipt>((resolve, reject) => {
        this.fail = reject;
        this.connection.on('error', reject);
        signal.addEventListener('abort', aborted, { once: true });
        if (signal.aborted) aborted();
        else this.connect(() => this.hand(mail, raw, resolve));
      });
    } catch (error) {
      throw this.explained(error);
    } finally {
      this.settled = true;
      clearTimeout(limit);
      signal.removeEventListener('abort', aborted);
      this.connection.close();
    }
  }

  private connect(next: () => void): void {
    const { username, password } = this.relay;
    this.connection.connect((error) => {
      if (error) this.fail(error);
      else if (!username) next();
      else {
        const credentials = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
        this.connection.login({ credentials }, (refusal) => (refusal ? this.fail(refusal) : next()));
      }
    });
  }

  private hand(mail: OutgoingMail, { size, chunks }: Message, done: (receipt: MailReceipt) => void): void {
    const to = [...new Set([...mail.to, ...mail.cc])];
    const envelope = { from: mail.from, to, ...(size !== undefined && { size }) };
    this.connection.send(envelope, Readable.from(this.gated(chunks)), (error, info) => {
      if (error) this.fail(error);
      else done({ accepted: info.accepted, rejected: info.rejected, response: info.response });
    });
  }

  /** If `onBeforeSend` returns false, it yields nothing and never ends, so the relay receives no message. */
  private async *gated(chunks: Message['chunks']): AsyncGenerator<Buffer> {
    if (this.settled || !this.sending.onBeforeSend()) {
      this.giveUp('aborted', 'The mail was cancelled before it was sent.');
      await new Promise(() => undefined);
    }
    this.sent = true;
    yield* chunks;
  }

  private giveUp(reason: 'aborted' | 'timeout', message: string): void {
    this.fail(new EgressError(reason, message, { sent: this.sent }));
    this.connection.close();
  }

  private explained(error: unknown): Error {
    if (error instanceof EgressError) return error;
    const { code, responseCode, message } = error as { code?: string; responseCode?: number; message?: string };
    const text = `${this.relay.hostname}: ${message ?? 'the mail was not accepted'}`;
    if (responseCode !== undefined) return new MailRefused(text, responseCode);
    const reason =
      code === 'ETIMEDOUT'
        ? 'timeout'
        : code === 'EDNS'
          ? 'dns'
          : code === 'ETLS'
            ? 'tls'
            : this.sent
              ? 'reset'
              : 'connect';
    return new EgressError(reason, text, { sent: this.sent, cause: error });
  }
}
