import { EgressError } from '@app/platform/egress';
import type { MailReceipt, MailSending, OutgoingMail } from './outgoing-mail.js';

const NOT_SENT = { sent: false } as const;

/** The relay may have a private address, because only the operator configures it. */
export class MailRelay {
  private readonly url: URL | undefined;

  constructor(url: string | undefined) {
    this.url = url === undefined ? undefined : new URL(url);
  }

  get isConfigured(): boolean {
    return this.url !== undefined;
  }

  /** @throws EgressError for any other failure. Its field `sent` is false if no byte of the message was written. */
  async send(mail: OutgoingMail, sending: MailSending): Promise<MailReceipt> {
    if (!this.url)
      throw new EgressError(
        'invalid_url',
        'There is no mail relay, because SMTP_RELAY_URL is not set. Ask the operator to set it.',
        NOT_SENT,
      );
    // Most processes never send mail, so the library is loaded with the first mail.
    const { RelaySession } = await import('./relay-session.js');
    return new RelaySession(this.url, sending).send(mail);
  }
}
