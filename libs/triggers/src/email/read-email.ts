import type { AddressObject, EmailAddress } from 'mailparser';
import { authenticationResults } from './authentication-results.js';
import { type AttachmentPiece, EmailAttachments } from './email-attachments.js';
import {
  dateOf,
  DerivedMessageId,
  EmailHeaders,
  headerLength,
  isAutoSubmitted,
  isBounce,
  messageIdOf,
  messageIdsOf,
  OWN_MAIL_HEADER,
} from './email-headers.js';
import { htmlText } from './html-text.js';
import type { Mail, MailReading } from './mail-parser.js';
import { cutToBytes, plainLine, plainText } from './plain-text.js';
import { type EmailCuts, emailCuts, EMAIL_LIMITS, type EmailView, type ParsedEmail } from './received-email.js';

/** The parser must not convert HTML to text, because the conversion takes minutes for some mails of a megabyte. */
const PARSER_OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipImageLinks: true,
  keepCidLinks: true,
  maxChildNodes: EMAIL_LIMITS.parts,
  maxHeadSize: EMAIL_LIMITS.header,
};

export class UnreadableEmail extends Error {
  override readonly name = 'UnreadableEmail';
}

export interface EmailSettings {
  /** Sender of the SMTP envelope, empty for bounces. Null if it is not known. */
  sender: string | null;
  trustedRelays: readonly string[];
  /** Parts of the mail that do not fit are omitted. */
  maxInputBytes: number;
  /** Maximum CPU time for the whole mail. */
  cpuMillis: number;
}

/**
 * Reads a mail while it arrives. Malformed mails are accepted; parts that cannot be parsed are omitted. All methods throw
 * UnreadableEmail if the mail exceeds {@link EMAIL_LIMITS} or the CPU time.
 */
export class EmailReading {
  private readonly cut: EmailCuts;
  private readonly attachments: EmailAttachments;
  private readonly mail: MailReading;
  private readonly begun = process.cpuUsage();
  /** Bytes before the end of the header. Undefined when the header is complete. */
  private head: Buffer | undefined = Buffer.alloc(0);
  /** Bytes of the body that arrived before the lines of the header were parsed. */
  private waiting: Buffer[] = [];
  /** Null if the mail has a message id. */
  private derived: DerivedMessageId | null | undefined;

  constructor(
    private readonly settings: EmailSettings,
    parser: typeof MailReading,
  ) {
    this.cut = emailCuts(settings.maxInputBytes);
    this.attachments = new EmailAttachments(this.cut);
    this.mail = new parser(PARSER_OPTIONS, (part) => this.attachments.add(part));
  }

  /** Returns the bytes of attachments that have been decoded since the last call. */
  async feed(chunk: Buffer): Promise<AttachmentPiece[]> {
    const body = this.bodyIn(chunk);
    await readable(this.mail.write(chunk));
    this.takeBody(body);
    const { user, system } = process.cpuUsage(this.begun);
    if ((user + system) / 1_000 > this.settings.cpuMillis) throw new UnreadableEmail(TOO_SLOW);
    return this.attachments.takePieces();
  }

  async finish(): Promise<{ pieces: AttachmentPiece[]; email: ParsedEmail }> {
    const mail = await readable(this.mail.end());
    const headers = new EmailHeaders(mail.headerLines);
    const hops = headers.all('received').length;
    if (hops > EMAIL_LIMITS.hops)
      throw new UnreadableEmail('The mail has passed too many relays, so it is probably in a mail loop.');
    const email = {
      view: this.viewOf(mail, headers),
      isOwn: headers.has(OWN_MAIL_HEADER),
      loopAddresses: headers.all('x-loop').map((value) => value.replace(/[<>]/g, '').toLowerCase()),
    };
    return { pieces: this.attachments.takePieces(), email };
  }

  /** Returns the part of the chunk that belongs to the body. */
  private bodyIn(chunk: Buffer): Buffer {
    if (!this.head) return chunk;
    const arrived = Buffer.concat([this.head, chunk]);
    const length = headerLength(arrived);
    if (length > EMAIL_LIMITS.header) throw new UnreadableEmail('The header of the mail is too large.');
    this.head = length === arrived.length ? arrived : undefined;
    return arrived.subarray(length);
  }

  /** Only a mail without a message id needs the hash of its body. */
  private takeBody(bytes: Buffer): void {
    if (bytes.length > 0) this.waiting.push(bytes);
    const { headerLines } = this.mail;
    if (!headerLines) return;
    if (this.derived === undefined)
      this.derived = messageIdIn(headerLines) === undefined ? new DerivedMessageId(headerLines) : null;
    for (const part of this.waiting.splice(0)) this.derived?.add(part);
  }

  private messageId({ headerLines }: Mail): string {
    this.takeBody(Buffer.alloc(0));
    return messageIdIn(headerLines) ?? (this.derived ?? new DerivedMessageId(headerLines)).value();
  }

  private viewOf(mail: Mail, headers: EmailHeaders): ParsedEmail['view'] {
    const { cut } = this;
    const sender = this.settings.sender ?? returnPathOf(headers);
    const people = peopleOf(mail, cut);
    const hasOneAuthor = people.shown.from !== null && people.authors === 1 && headers.all('from').length === 1;
    const verdicts = authenticationResults(headers.all('authentication-results'), this.settings.trustedRelays);
    const body = bodyOf(mail, cut);
    const { shown: attachments, count } = this.attachments;
    const subject = plainLine(mail.subject ?? '')
      .slice(0, cut.line)
      .toWellFormed();
    const headerTexts = [subject, people.shown.from_name, ...attachments.map(({ name }) => name)].join('');
    return {
      ...people.shown,
      ...(!hasOneAuthor && { from: null, from_name: '' }),
      sender,
      subject,
      ...body.shown,
      date: dateOf(headers.first('date')),
      message_id: this.messageId(mail),
      in_reply_to: messageIdsOf(headers.first('in-reply-to'))[0] ?? null,
      references: messageIdsOf(headers.first('references')).slice(-cut.references),
      auto_submitted: isAutoSubmitted(headers),
      bounce: isBounce(headers, sender),
      ...verdicts,
      // DMARC says something about one author. A relay may check another author than the one that a reader sees.
      dmarc: hasOneAuthor ? verdicts.dmarc : null,
      attachments,
      truncated:
        mail.hasLostPart ||
        people.isCut ||
        body.isCut ||
        count > attachments.length ||
        attachments.some(({ encoding }) => encoding === null),
      replaced_characters: mail.replaced + headerTexts.split('\uFFFD').length - 1,
    };
  }
}

export const TOO_SLOW = 'The mail takes too long to read.';

export async function beginReading(settings: EmailSettings): Promise<EmailReading> {
  // The parser is loaded with the first mail, because most processes never read one.
  const { MailReading } = await import('./mail-parser.js');
  return new EmailReading(settings, MailReading);
}

async function readable<T>(parsed: Promise<T>): Promise<T> {
  try {
    return await parsed;
  } catch (error) {
    const { parts, header } = EMAIL_LIMITS;
    const message = `The mail has more than ${parts} MIME parts, or the header of a part is larger than ${header / 1024} KiB.`;
    throw new UnreadableEmail(message, { cause: error });
  }
}

function messageIdIn(lines: Mail['headerLines']): string | undefined {
  return messageIdOf(new EmailHeaders(lines).first('message-id'));
}

interface Cut<T> {
  shown: T;
  isCut: boolean;
}

/** `authors` counts the addresses in `From`, also those that are not valid, because a relay may check them. */
function peopleOf(
  mail: Mail,
  cut: EmailCuts,
): Cut<Pick<EmailView, 'from' | 'from_name' | 'to' | 'cc' | 'reply_to'>> & { authors: number } {
  const authors = addressesOf(mail.from, cut);
  const [author] = authors;
  const [answerTo] = addressesOf(mail.replyTo, cut);
  const to = addressesOf(mail.to, cut);
  const cc = addressesOf(mail.cc, cut);
  const listed = (people: NamedAddress[]) => people.slice(0, cut.addresses).map(({ address }) => address);
  return {
    shown: {
      from: author?.address ?? null,
      from_name: author?.name ?? '',
      to: listed(to),
      cc: listed(cc),
      reply_to: answerTo?.address ?? null,
    },
    isCut: Math.max(to.length, cc.length) > cut.addresses,
    authors: entriesOf(mail.from).filter(({ address }) => address).length,
  };
}

function bodyOf(mail: Mail, cut: EmailCuts): Cut<Pick<EmailView, 'text' | 'html'>> {
  const html = mail.html ? plainText(mail.html) : null;
  const written = plainText(mail.text ?? '');
  const text = html !== null && written.trim() === '' ? htmlText(html) : written;
  const shown = { text: cutToBytes(text, cut.text), html: html === null ? null : cutToBytes(html, cut.html) };
  return { shown, isCut: shown.text !== text || shown.html !== html };
}

function returnPathOf(headers: EmailHeaders): string | null {
  const value = headers.first('return-path');
  return value === undefined ? null : value.replace(/^<|>$/g, '').trim();
}

interface NamedAddress {
  address: string;
  name: string;
}

/** A comment inside the address, which the parser does not understand (RFC 5322, appendix A.5). */
const COMMENT = /^[^"]*[()]/;

function addressesOf(header: AddressObject | AddressObject[] | undefined, { line }: EmailCuts): NamedAddress[] {
  return entriesOf(header).flatMap(({ address, name }) => {
    const clean = plainLine(address ?? '').slice(0, 320);
    return clean.includes('@') && !COMMENT.test(clean)
      ? [{ address: clean, name: plainLine(name).slice(0, line).toWellFormed() }]
      : [];
  });
}

function entriesOf(header: AddressObject | AddressObject[] | undefined): EmailAddress[] {
  return (Array.isArray(header) ? header : header ? [header] : []).flatMap(({ value }) => value).flatMap(withMembers);
}

function withMembers(entry: EmailAddress): EmailAddress[] {
  return entry.group ? entry.group : [entry];
}
