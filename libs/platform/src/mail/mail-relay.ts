import { EgressError } from '@app/platform/egress';
import type { MailReceipt, MailSending, OutgoingMail } from './outgoing-mail.js';

const NOT_SENT = { sent: false } as const;

/**
 * Hands mail to the relay of the installation, one connection a message. The operator names the relay, so it may be on a
 * private address; nobody else chooses where it connects to.
 */
export class MailRelay {
  private readonly url: URL | undefined;

  /** `url`: `smtp://` (STARTTLS where the relay offers it) or `smtps://`, with user and password if it asks for them. */
  constructor(url: string | undefined) {
    this.url = url === undefined ? undefined : new URL(url);
  }

  get isConfigured(): boolean {
    return this.url !== undefined;
  }

  /**
   * @throws MailRefused when the relay said no
   * @throws EgressError for everything else; `sent` is false until the first byte of the message has left
   */
  async send(mail: OutgoingMail, sending: MailSending): Promise<MailReceipt> {
    if (!this.url) throw new EgressError('invalid_url', 'There is no mail relay: SMTP_RELAY_URL is not set.', NOT_SENT);
    // The library is loaded by the first mail: most processes never send one.
    const { RelaySession } = await import('./relay-session.js');
    return new RelaySession(this.url, sending).send(mail);
  }
}
