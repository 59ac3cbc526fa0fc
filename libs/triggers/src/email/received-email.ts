import type { AuthenticationVerdict } from './authentication-results.js';

/**
 * A mail as `filter` and `map` of an `email.received` trigger see it, under the name `email`. It is plain JSON, has no
 * NUL characters and fits into the input of a run. A missing value is null, or empty for text and lists, so that an
 * expression never meets a missing member.
 */
export interface EmailView {
  /** Address of the first author, as it is written. */
  from: string | null;
  from_name: string;
  /** Sender of the envelope, empty for bounces; null where it is not known. */
  sender: string | null;
  to: string[];
  cc: string[];
  reply_to: string | null;
  subject: string;
  /** The plain text; where the mail has none, what its HTML says. Lines end with `\n`. */
  text: string;
  html: string | null;
  /** RFC 3339. */
  date: string | null;
  /** As its header writes it, with angle brackets where it has them; made from the mail where it has none. */
  message_id: string;
  in_reply_to: string | null;
  references: string[];
  /** Sent by a machine: an answer from a vacation notice, a notification, a newsletter (RFC 3834, `Precedence`). */
  auto_submitted: boolean;
  /** A report that a mail was not delivered. */
  bounce: boolean;
  /** What a relay of the operator's found out; null where none has said anything. */
  spf: AuthenticationVerdict | null;
  dkim: AuthenticationVerdict | null;
  dmarc: AuthenticationVerdict | null;
  attachments: EmailAttachment[];
  /** Whether something of it was cut or left out because of its size. */
  truncated: boolean;
}

export interface EmailAttachment {
  /** A plain file name without any path. */
  name: string;
  content_type: string;
  /** Bytes. */
  size: number;
  /** In hexadecimal digits. */
  sha256: string;
  /** Shown inside the text rather than below it. */
  inline: boolean;
  content_id: string | null;
  /** Null where the attachment is too large for a run's input: then there is no content either. */
  encoding: 'text' | 'base64' | null;
  content: string | null;
}

/** A mail that was read, and what only the intake needs to know of it. */
export interface ReceivedEmail {
  readonly view: EmailView;
  /** Sent by an agent. */
  readonly isOwn: boolean;
  /** Programs have answered it as these addresses before (`X-Loop`); in lower case. */
  readonly loopAddresses: readonly string[];
}

/** Beyond these a mail is refused. */
export const EMAIL_LIMITS = {
  /** Bytes of the mail's own header. Postfix and Exchange draw the line in the same region. */
  header: 128 * 1024,
  /** MIME parts, the multiparts counted as well. */
  parts: 250,
  /** `Received` headers; more of them are a loop (RFC 5321, 6.3). */
  hops: 50,
} as const;

/** Bytes, characters and counts that a mail is cut to. */
export interface EmailCuts {
  readonly text: number;
  readonly html: number;
  readonly line: number;
  readonly addresses: number;
  readonly references: number;
  readonly attachments: number;
  /** Bytes of one attachment, and of all of them, that a run is given. */
  readonly attachment: number;
  readonly allAttachments: number;
}

const MIB = 1024 * 1024;

/** What mails are cut to so that all of one fits into an input of `maxInputBytes`. */
export function emailCuts(maxInputBytes: number): EmailCuts {
  // A larger input allows longer texts, not longer lists.
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
