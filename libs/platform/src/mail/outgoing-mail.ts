import type { StreamedBody } from '@app/platform/egress';

/** Addresses are bare (`a@example.com`). Only `text` and `html` may contain line breaks. */
export interface OutgoingMail {
  from: string;
  to: readonly string[];
  cc: readonly string[];
  subject: string;
  text: string;
  html: string | null;
  /** All attempts to send the message use the same id. */
  messageId: string;
  replyTo?: string;
  inReplyTo?: string;
  references?: readonly string[];
  attachments?: readonly MailAttachment[];
  headers: Readonly<Record<string, string>>;
}

export interface MailSending {
  signal: AbortSignal;
  timeoutMs: number;
  /** If it returns false, the message is not sent. */
  onBeforeSend: () => boolean;
}

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
    /** 5xx is a permanent failure. */
    readonly status: number,
  ) {
    super(message);
  }
}

export interface MailAttachment {
  filename: string;
  contentType: string;
  /** Bytes in memory, or bytes that are read while the mail is sent. */
  content: Uint8Array | StreamedBody;
}
