import type { AuthenticationVerdict } from './authentication-results.js';

/**
 * The variable `email` in the expressions of an `email.received` trigger. The value is plain JSON without NUL
 * characters and fits into the input of a run. Every field exists, so that expressions never read a missing field. A
 * field without a value is null, or empty if it is a text or a list.
 */
export interface EmailView {
  /** Address of the first author, as written in the mail. */
  from: string | null;
  from_name: string;
  /** Sender of the SMTP envelope, empty for bounces. Null if the sender is unknown. */
  sender: string | null;
  to: string[];
  cc: string[];
  reply_to: string | null;
  subject: string;
  /** The plain text, or the text of the HTML if there is no plain text. Lines end with `\n`. */
  text: string;
  html: string | null;
  /** Time in the format of RFC 3339. */
  date: string | null;
  /** Includes the angle brackets. If the mail has no message id, the id is derived from the mail. */
  message_id: string;
  in_reply_to: string | null;
  references: string[];
  /**
   * True if a program sent the mail, for example a vacation reply, a notification or a newsletter (RFC 3834,
   * `Precedence`).
   */
  auto_submitted: boolean;
  /** True if the mail reports that another mail could not be delivered. */
  bounce: boolean;
  /** `spf`, `dkim`, `dmarc`: the verdict of a relay that the operator trusts. Null if no such relay added a verdict. */
  spf: AuthenticationVerdict | null;
  dkim: AuthenticationVerdict | null;
  dmarc: AuthenticationVerdict | null;
  attachments: EmailAttachment[];
  /** True if a part of the mail was truncated or omitted because of its size. */
  truncated: boolean;
  /** Number of characters that could not be decoded. Each is U+FFFD. */
  replaced_characters: number;
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
  /** Null if the content of the attachment does not fit into the input of a run. `content` is then null too. */
  encoding: 'text' | 'base64' | null;
  content: string | null;
}

export interface ReceivedEmail {
  readonly view: EmailView;
  readonly isOwn: boolean;
  /** Addresses in `X-Loop`, in lower case. A program that replies to mail adds its own address there. */
  readonly loopAddresses: readonly string[];
}

/** A mail that exceeds one of these limits is rejected. */
export const EMAIL_LIMITS = {
  /** Maximum size of all headers together, in bytes. Postfix and Exchange have similar limits. */
  header: 128 * 1024,
  /** Maximum number of MIME parts, including multipart parts. */
  parts: 250,
  /** Maximum number of `Received` headers. More headers indicate a mail loop (RFC 5321, section 6.3). */
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
  /** Maximum number of characters of the content of one attachment. */
  readonly attachment: number;
  /** Maximum number of characters of the contents of all attachments together. */
  readonly allAttachments: number;
}

const MIB = 1024 * 1024;

/** Returns limits with which any mail fits into an input of `maxInputBytes`. */
export function emailCuts(maxInputBytes: number): EmailCuts {
  // If `maxInputBytes` is below 1 MiB, lists are shorter. If it is above 1 MiB, texts may be longer, but not lists.
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
