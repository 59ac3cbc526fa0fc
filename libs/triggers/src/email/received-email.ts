import type { AuthenticationVerdict } from './authentication-results.js';

/**
 * The value is plain JSON without NUL characters and fits into the input of a run. Every field exists, so that
 * expressions never read a missing field.
 */
export interface EmailView<Attachment = EmailAttachment> {
  from: string | null;
  from_name: string;
  /** Sender of the SMTP envelope, empty for bounces. */
  sender: string | null;
  to: string[];
  cc: string[];
  reply_to: string | null;
  subject: string;
  /** The plain text, or the text of the HTML if there is no plain text. */
  text: string;
  html: string | null;
  date: string | null;
  /** Includes the angle brackets. If the mail has no message id, the id is derived from the mail. */
  message_id: string;
  in_reply_to: string | null;
  references: string[];
  auto_submitted: boolean;
  bounce: boolean;
  /** `spf`, `dkim`, `dmarc`: the verdict of a relay that the operator trusts. Null if no such relay added a verdict. */
  spf: AuthenticationVerdict | null;
  dkim: AuthenticationVerdict | null;
  dmarc: AuthenticationVerdict | null;
  attachments: Attachment[];
  truncated: boolean;
  replaced_characters: number;
}

/** An attachment as the process that reads mails knows it. */
export interface ParsedAttachment {
  name: string;
  content_type: string;
  size: number;
  sha256: string;
  /** True if the attachment is displayed inside the text, for example an embedded image. */
  inline: boolean;
  content_id: string | null;
  /** Null if the content of the attachment does not fit into the input of a run. `content` is then null too. */
  encoding: 'text' | 'base64' | null;
  content: string | null;
}

export interface EmailAttachment extends ParsedAttachment {
  /** Id of the stored file. Null unless `status` is `ready`. */
  file: string | null;
  /** `refused`: by the scanner. `too_large`: larger than MAX_FILE_BYTES. */
  status: 'ready' | 'refused' | 'too_large';
  /** By the bytes of the file. Null unless `status` is `ready`. */
  detected_content_type: string | null;
}

export interface ReceivedEmail<Attachment = EmailAttachment> {
  readonly view: EmailView<Attachment>;
  readonly isOwn: boolean;
  /** Addresses in `X-Loop`, in lower case. A program that replies to mail adds its own address there. */
  readonly loopAddresses: readonly string[];
}

export const EMAIL_LIMITS = {
  /** Maximum size of all headers together, in bytes. Postfix and Exchange have similar limits. */
  header: 128 * 1024,
  parts: 250,
  /** Maximum number of `Received` headers. More headers indicate a mail loop (RFC 5321, section 6.3). */
  hops: 50,
} as const;

export type ParsedEmail = ReceivedEmail<ParsedAttachment>;

export interface EmailCuts {
  readonly text: number;
  readonly html: number;
  readonly line: number;
  readonly addresses: number;
  readonly references: number;
  readonly attachments: number;
  readonly attachment: number;
  readonly allAttachments: number;
}

const MIB = 1024 * 1024;

/** Returns limits with which any mail fits into an input of `maxInputBytes`. */
export function emailCuts(maxInputBytes: number): EmailCuts {
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
