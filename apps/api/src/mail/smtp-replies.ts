import type { MailVerdict } from '@app/triggers';

/** A reply of smtp-server: a code, and a text that begins with the enhanced code (RFC 3463). */
export class SmtpReply extends Error {
  override readonly name = 'SmtpReply';

  constructor(
    readonly responseCode: number,
    message: string,
  ) {
    super(message);
  }
}

/** Reply to a failure of the service, which is not the fault of the mail. The sender keeps the mail and retries. */
export const TRY_AGAIN = new SmtpReply(451, '4.3.0 The service cannot accept mail at the moment, try again later');
export const TOO_BUSY = new SmtpReply(452, '4.3.1 The service receives too much mail at the moment, try again later');
export const TOO_MANY_CONNECTIONS = new SmtpReply(421, '4.7.0 Too many connections from your address, try again later');
export const TOO_MANY_RECIPIENTS = new SmtpReply(
  452,
  '4.5.3 Too many recipients, send the mail to the other recipients separately',
);
export const TOO_LARGE = 'The mail is too large.';

/** Returns the reply to a mail, or undefined for the default reply 250. */
export function replyTo({ verdict, reason }: MailVerdict): SmtpReply | undefined {
  switch (verdict) {
    case 'accepted':
      return undefined;
    case 'deferred':
      return new SmtpReply(451, `4.2.1 ${reason}`);
    case 'full':
      return new SmtpReply(452, `4.2.2 ${reason}`);
    case 'rejected':
      return new SmtpReply(554, `5.6.0 ${reason}`);
    case 'unknown':
      return new SmtpReply(550, `5.1.1 ${reason}`);
  }
}
