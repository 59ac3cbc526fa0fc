import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import nodemailer, { type SendMailOptions } from 'nodemailer';

import { eventually } from '../eventually.js';

/** The last reply of the server to a mail. The code is `lost` if the connection was closed before the reply. */
export interface Delivery {
  code: number | 'lost';
  reply: string;
}

export interface Envelope {
  from?: string;
  to: string | string[];
}

const TLS = join(import.meta.dirname, '..', '..', 'fixtures', 'tls');
/** Environment variables for STARTTLS with a self-signed certificate. */
export const SELF_SIGNED = { SMTP_TLS_CERT: join(TLS, 'self-signed.crt'), SMTP_TLS_KEY: join(TLS, 'self-signed.key') };

export class MailSender {
  constructor(
    private readonly port: number,
    private readonly options: { requireTLS?: boolean; ignoreTLS?: boolean; lmtp?: boolean } = {},
  ) {}

  /** Composes a mail with nodemailer and sends it. Uses STARTTLS if the server offers it. */
  async send(mail: SendMailOptions): Promise<Delivery> {
    const transport = nodemailer.createTransport({
      host: '127.0.0.1',
      port: this.port,
      tls: { rejectUnauthorized: false },
      ...this.options,
    });
    try {
      const { response } = await transport.sendMail(mail);
      return { code: Number(response.slice(0, 3)), reply: response };
    } catch (error) {
      const { responseCode, response, message } = error as Error & { responseCode?: number; response?: string };
      return { code: responseCode ?? 'lost', reply: response ?? message };
    } finally {
      transport.close();
    }
  }

  async sendUntilTaken(mail: SendMailOptions): Promise<Delivery> {
    return eventually(async () => {
      const delivery = await this.send(mail);
      if (delivery.code !== 'lost' && (delivery.code < 400 || delivery.code >= 500)) return delivery;
      throw new Error(`The mail has not been taken yet: ${delivery.reply}`);
    });
  }

  /** Sends the bytes of a mail without parsing them. Only doubles the dots at the start of lines, as SMTP requires. */
  async sendRaw(raw: Buffer, { from = 'ann@example.com', to }: Envelope): Promise<Delivery> {
    const talk = await Conversation.open(this.port);
    try {
      const recipients = Array.isArray(to) ? to : [to];
      for (const line of [
        'EHLO test',
        `MAIL FROM:<${from}>`,
        ...recipients.map((each) => `RCPT TO:<${each}>`),
        'DATA',
      ]) {
        const { code, reply } = await talk.say(line);
        if (code === 'lost' || code >= 400) return { code, reply };
      }
      return await talk.send(Buffer.concat([stuffed(raw), Buffer.from('\r\n.\r\n')]));
    } finally {
      talk.close();
    }
  }
}

function stuffed(raw: Buffer): Buffer {
  return Buffer.from(raw.toString('latin1').replace(/^\./gm, '..'), 'latin1');
}

export class Conversation {
  private readonly replies: AsyncIterator<string>;

  private constructor(private readonly socket: Socket) {
    this.replies = createInterface({ input: socket })[Symbol.asyncIterator]();
  }

  static async open(port: number): Promise<Conversation> {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    const conversation = new Conversation(socket);
    await conversation.hear();
    return conversation;
  }

  say(line: string): Promise<Delivery> {
    return this.send(Buffer.from(`${line}\r\n`));
  }

  async send(bytes: Buffer): Promise<Delivery> {
    this.socket.write(bytes);
    return this.hear();
  }

  async hear(): Promise<Delivery> {
    for (;;) {
      const { value, done } = await this.replies.next();
      if (done) return { code: 'lost', reply: 'The connection was closed.' };
      if (/^[0-9]{3}( |$)/.test(value)) return { code: Number(value.slice(0, 3)), reply: value };
    }
  }

  close(): void {
    this.socket.destroy();
  }
}
