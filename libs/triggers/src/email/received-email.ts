import type { AuthenticationVerdict } from './authentication-results.js';

/**
 * A mail as the expressions in `filter` and `map` of an `email.received` trigger see it, in the variable `email`. It is
 * plain JSON without NUL characters, and not larger than the input of a run may be. A missing value is null, or empty
 * for texts and lists, so that expressions never read a missing field.
 */
export interface EmailView {
  /** Address of the first author, as written in the mail. */
  from: string | null;
  from_name: string;
  /** Sender of the envelope, empty for bounces. Null if the sender is unknown. */
  sender: string | null;
  to: string[];
  cc: string[];
  reply_to: string | null;
  subject: string;
  /** The plain text, or the text of the HTML if the mail has no plain text. Lines end with `\n`. */
  text: string;
  html: string | null;
  /** RFC 3339. */
  date: string | null;
  /**
   * As written in the header, including angle brackets. If the mail has no message id, an id is derived from the mail.
   */
  message_id: string;
  in_reply_to: string | null;
  references: string[];
  /**
   * True if a program sent the mail, for example a vacation reply, a notification or a newsletter (RFC 3834,
   * `Precedence`).
   */
  auto_submitted: boolean;
  /** True if the mail reports that another mail was not delivered. */
  bounce: boolean;
  /** Result of the check by a trusted relay of the operator. Null if no trusted relay added a result. */
  spf: AuthenticationVerdict | null;
  dkim: AuthenticationVerdict | null;
  dmarc: AuthenticationVerdict | null;
  attachments: EmailAttachment[];
  /** True if a part of the mail was truncated or omitted because of its size. */
  truncated: boolean;
}

export interface EmailAttachment {
  /** File name without a path. */
  name: string;
  content_type: string;
  /** Size in bytes. */
  size: number;
  /** SHA-256 of the content, in hexadecimal digits. */
  sha256: string;
  /** True if the attachment is displayed inside the text, for example an embedded image. */
  inline: boolean;
  content_id: string | null;
  /** Null if the attachment is too large for the input of a run. It then has no content. */
  encoding: 'text' | 'base64' | null;
  content: string | null;
}

/** A mail that was read, with additional data that only the intake uses. */
export interface ReceivedEmail {
  readonly view: EmailView;
  /** True if an agent sent the mail. */
  readonly isOwn: boolean;
  /** Addresses in `X-Loop`, in lower case. Programs that reply to mail add their own address there. */
  readonly loopAddresses: readonly string[];
}

/** A mail that exceeds one of these limits is rejected. */
export const EMAIL_LIMITS = {
  /** Size of the headers of the mail in bytes. Postfix and Exchange have similar limits. */
  header: 128 * 1024,
  /** Number of MIME parts, including multipart parts. */
  parts: 250,
  /** Number of `Received` headers. A larger number indicates a mail loop (RFC 5321, section 6.3). */
  hops: 50,
} as const;

/** Limits to which the parts of a mail are truncated, in bytes, characters or items. */
export interface EmailCuts {
  readonly text: number;
  readonly html: number;
  readonly line: number;
  readonly addresses: number;
  readonly references: number;
  readonly attachments: number;
  /** Maximum size of the content in bytes: of one attachment, and of all attachments together. */
  readonly attachment: number;
  readonly allAttachments: number;
}

const MIB = 1024 * 1024;

/** Returns limits with which a whole mail fits into an input of `maxInputBytes`. */
export function emailCuts(maxInputBytes: number): EmailCuts {
  // A smaller `maxInputBytes` shortens lists. A larger value does not lengthen them, but allows longer texts.
  const count = (most: number): number => Math.ceil(most * Math.min(1, maxInputBytes / MIB));
  const share = (part: number): number => Math.floor(maxInputBytes * part);
  return {
    text: share(1 / 4),
    html: share(1 / 8),
    line: 998,
    addresses: count(100),
    references: count(50),
    attachments: count(100),
    attachment: share(1 / 4),
    allAttachments: share(3 / 8),
  };
}
