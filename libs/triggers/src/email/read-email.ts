import type { AddressObject, EmailAddress, ParsedMail } from 'mailparser';
import { authenticationResults } from './authentication-results.js';
import { emailAttachments } from './email-attachments.js';
import {
  dateOf,
  EmailHeaders,
  isAutoSubmitted,
  isBounce,
  messageIdFrom,
  messageIdOf,
  messageIdsOf,
  OWN_MAIL_HEADER,
} from './email-headers.js';
import { htmlText } from './html-text.js';
import { cutToBytes, plainLine, plainText } from './plain-text.js';
import { type EmailCuts, emailCuts, EMAIL_LIMITS, type EmailView, type ReceivedEmail } from './received-email.js';

/** HTML is read as text here, in one pass: the parser's own conversion takes minutes for some mails of a megabyte. */
const PARSER_OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipImageLinks: true,
  keepCidLinks: true,
  maxChildNodes: EMAIL_LIMITS.parts,
  maxHeadSize: EMAIL_LIMITS.header,
};

/** A mail that is not taken at all, because of what reading it would cost or because it goes round in circles. */
export class UnreadableEmail extends Error {
  override readonly name = 'UnreadableEmail';
}

export interface EmailSource {
  /** The mail as it came, header and body. */
  raw: Buffer;
  /** Sender of the SMTP envelope, empty for bounces; null where there was no envelope: then `Return-Path` says it. */
  sender: string | null;
  /** Names of the relays whose `Authentication-Results` are believed. */
  trustedRelays: readonly string[];
  /** Of a run's input: what does not fit is left out. */
  maxInputBytes: number;
}

/**
 * Reads a mail, however broken: what can be made sense of is taken, the rest is left out.
 * @throws UnreadableEmail where the mail is beyond the limits of {@link EMAIL_LIMITS}
 */
export async function readEmail(source: EmailSource): Promise<ReceivedEmail> {
  const { raw, sender } = source;
  if (headerLength(raw) > EMAIL_LIMITS.header) throw new UnreadableEmail('The header of the mail is too large.');
  const mail = await parse(raw);
  const headers = new EmailHeaders(mail.headerLines);
  const hops = headers.all('received').length;
  if (hops > EMAIL_LIMITS.hops)
    throw new UnreadableEmail('The mail has passed too many relays: it goes round in circles.');
  return {
    view: viewOf(mail, headers, { ...source, sender: sender ?? returnPathOf(headers) }),
    isOwn: headers.has(OWN_MAIL_HEADER),
    loopAddresses: headers.all('x-loop').map((value) => value.replace(/[<>]/g, '').toLowerCase()),
  };
}

async function parse(raw: Buffer): Promise<ParsedMail> {
  // Loaded by the first mail: most processes never read one.
  const { simpleParser } = await import('mailparser');
  try {
    return await simpleParser(raw, PARSER_OPTIONS);
  } catch (error) {
    // The parser gives up only at its limits; whatever else is wrong with a mail it reads over.
    throw new UnreadableEmail('The mail is too complex.', { cause: error });
  }
}

function viewOf(
  mail: ParsedMail,
  headers: EmailHeaders,
  { raw, sender, trustedRelays, maxInputBytes }: EmailSource,
): EmailView {
  const cut = emailCuts(maxInputBytes);
  const people = peopleOf(mail, cut);
  const body = bodyOf(mail, cut);
  const attachments = emailAttachments(mail.attachments, cut);
  return {
    ...people.shown,
    sender,
    subject: plainLine(mail.subject ?? '')
      .slice(0, cut.line)
      .toWellFormed(),
    ...body.shown,
    date: dateOf(headers.first('date')),
    message_id: messageIdOf(headers.first('message-id')) ?? messageIdFrom(mail.headerLines, bodyBytes(raw)),
    in_reply_to: messageIdsOf(headers.first('in-reply-to'))[0] ?? null,
    references: messageIdsOf(headers.first('references')).slice(-cut.references),
    auto_submitted: isAutoSubmitted(headers),
    bounce: isBounce(headers, sender),
    ...authenticationResults(headers.all('authentication-results'), trustedRelays),
    attachments,
    truncated:
      people.isCut ||
      body.isCut ||
      mail.attachments.length > attachments.length ||
      attachments.some(({ encoding }) => encoding === null),
  };
}

/** A part of the view, and whether something of it was left out. */
interface Cut<T> {
  shown: T;
  isCut: boolean;
}

function peopleOf(
  mail: ParsedMail,
  cut: EmailCuts,
): Cut<Pick<EmailView, 'from' | 'from_name' | 'to' | 'cc' | 'reply_to'>> {
  const [author] = addressesOf(mail.from, cut);
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
  };
}

function bodyOf(mail: ParsedMail, cut: EmailCuts): Cut<Pick<EmailView, 'text' | 'html'>> {
  const html = mail.html ? plainText(mail.html) : null;
  const written = plainText(mail.text ?? '');
  const text = html !== null && written.trim() === '' ? htmlText(html) : written;
  const shown = { text: cutToBytes(text, cut.text), html: html === null ? null : cutToBytes(html, cut.html) };
  return { shown, isCut: shown.text !== text || shown.html !== html };
}

/** Bytes up to the first empty line. */
function headerLength(raw: Buffer): number {
  const ends = ['\r\n\r\n', '\n\n'].map((end) => raw.indexOf(end)).filter((at) => at !== -1);
  return Math.min(raw.length, ...ends);
}

/** What follows the header, as it came. */
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

/** Groups are flattened; what is no address is left out. */
function addressesOf(header: AddressObject | AddressObject[] | undefined, { line }: EmailCuts): NamedAddress[] {
  const entries = (Array.isArray(header) ? header : header ? [header] : []).flatMap(({ value }) => value);
  return entries.flatMap(withMembers).flatMap(({ address, name }) => {
    const clean = plainLine(address ?? '').slice(0, 320);
    return clean.includes('@') ? [{ address: clean, name: plainLine(name).slice(0, line).toWellFormed() }] : [];
  });
}

function withMembers(entry: EmailAddress): EmailAddress[] {
  return entry.group ? entry.group : [entry];
}
