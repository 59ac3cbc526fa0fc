/** A message for the relay. Addresses are bare (`a@example.com`). Only `text` and `html` may contain line breaks. */
export interface OutgoingMail {
  from: string;
  to: readonly string[];
  cc: readonly string[];
  subject: string;
  text: string;
  html: string | null;
  /** Id of this message, including angle brackets. All attempts to send the message use the same id. */
  messageId: string;
  replyTo?: string;
  /**
   * Id of the message that this message answers, including angle brackets. The ids in `references` have the same form.
   */
  inReplyTo?: string;
  references?: readonly string[];
  attachments?: readonly MailAttachment[];
  headers: Readonly<Record<string, string>>;
}

export interface MailSending {
  signal: AbortSignal;
  timeoutMs: number;
  /** Called when the relay has accepted the sender and recipients. If it returns false, the message is not sent. */
  onBeforeSend: () => boolean;
}

/** `accepted` and `rejected` are addresses. `response` is the last reply of the relay. */
export interface MailReceipt {
  accepted: readonly string[];
  rejected: readonly string[];
  response: string;
}

/** The relay replied with a failure status (RFC 5321), so it has certainly not accepted the message. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';

  constructor(
    message: string,
    /** SMTP reply code. 5xx is a permanent failure. */
    readonly status: number,
  ) {
    super(message);
  }
}

export interface MailAttachment {
  filename: string;
  contentType: string;
  content: Buffer;
}
