import type { AddressObject, EmailAddress } from 'mailparser';
import { authenticationResults } from './authentication-results.js';
import { emailAttachments } from './email-attachments.js';
import {
  dateOf,
  EmailHeaders,
  headerLength,
  isAutoSubmitted,
  isBounce,
  messageIdFrom,
  messageIdOf,
  messageIdsOf,
  OWN_MAIL_HEADER,
} from './email-headers.js';
import { htmlText } from './html-text.js';
import type { Mail } from './mail-parser.js';
import { cutToBytes, plainLine, plainText } from './plain-text.js';
import { type EmailCuts, emailCuts, EMAIL_LIMITS, type EmailView, type ReceivedEmail } from './received-email.js';

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

export interface EmailSource {
  raw: Buffer;
  /** Sender of the SMTP envelope, empty for bounces. */
  sender: string | null;
  trustedRelays: readonly string[];
  /** Parts of the mail that do not fit are omitted. */
  maxInputBytes: number;
}

/**
 * Malformed mails are accepted; parts that cannot be parsed are omitted.
 * @throws UnreadableEmail if the mail exceeds {@link EMAIL_LIMITS}
 */
export async function readEmail(source: EmailSource): Promise<ReceivedEmail> {
  const { raw, sender } = source;
  if (headerLength(raw) > EMAIL_LIMITS.header) throw new UnreadableEmail('The header of the mail is too large.');
  const mail = await parse(raw);
  const headers = new EmailHeaders(mail.headerLines);
  const hops = headers.all('received').length;
  if (hops > EMAIL_LIMITS.hops)
    throw new UnreadableEmail('The mail has passed too many relays, so it is probably in a mail loop.');
  return {
    view: viewOf(mail, headers, { ...source, sender: sender ?? returnPathOf(headers) }),
    isOwn: headers.has(OWN_MAIL_HEADER),
    loopAddresses: headers.all('x-loop').map((value) => value.replace(/[<>]/g, '').toLowerCase()),
  };
}

async function parse(raw: Buffer): Promise<Mail> {
  // The parser is loaded with the first mail, because most processes never read one.
  const { parseMail } = await import('./mail-parser.js');
  try {
    return await parseMail(raw, PARSER_OPTIONS);
  } catch (error) {
    const { parts, header } = EMAIL_LIMITS;
    const message = `The mail has more than ${parts} MIME parts, or the header of a part is larger than ${header / 1024} KiB.`;
    throw new UnreadableEmail(message, { cause: error });
  }
}

function viewOf(
  mail: Mail,
  headers: EmailHeaders,
  { raw, sender, trustedRelays, maxInputBytes }: EmailSource,
): EmailView {
  const cut = emailCuts(maxInputBytes);
  const people = peopleOf(mail, cut);
  const hasOneAuthor = people.shown.from !== null && people.authors === 1 && headers.all('from').length === 1;
  const verdicts = authenticationResults(headers.all('authentication-results'), trustedRelays);
  const body = bodyOf(mail, cut);
  const attachments = emailAttachments(mail.attachments, cut);
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
    message_id: messageIdOf(headers.first('message-id')) ?? messageIdFrom(mail.headerLines, bodyBytes(raw)),
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
      mail.attachments.length > attachments.length ||
      attachments.some(({ encoding }) => encoding === null),
    replaced_characters: mail.replaced + headerTexts.split('\uFFFD').length - 1,
  };
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

function bodyBytes(raw: Buffer): Buffer {
  return raw.subarray(headerLength(raw));
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
