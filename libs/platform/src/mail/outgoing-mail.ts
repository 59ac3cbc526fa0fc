/** A message for the relay. Addresses are bare, `a@example.com`; nothing of it may hold a line break but `text` and `html`. */
export interface OutgoingMail {
  from: string;
  to: readonly string[];
  cc: readonly string[];
  subject: string;
  text: string;
  html: string | null;
  /** With angle brackets. The same message has the same one, however often it is sent. */
  messageId: string;
  headers: Readonly<Record<string, string>>;
}

export interface MailSending {
  signal: AbortSignal;
  timeoutMs: number;
  /** Asked when the relay has taken the addresses and waits for the message: false, and it gets none. */
  onBeforeSend: () => boolean;
}

/** accepted and rejected: addresses. response: what the relay said last. */
export interface MailReceipt {
  accepted: readonly string[];
  rejected: readonly string[];
  response: string;
}

/** The relay answered with a status of failure (RFC 5321): it has not taken the message, which is certain. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';

  constructor(
    message: string,
    /** Three digits; 5xx will be the same the next time. */
    readonly status: number,
  ) {
    super(message);
  }
}
