import { type Readable, Transform, type TransformCallback } from 'node:stream';
import { isUtf8 } from 'node:buffer';
import { decodeText } from '@app/platform/text';
import {
  type AttachmentCommon,
  type AttachmentStream,
  MailParser,
  type MailParserOptions,
  type MessageText,
  type ParsedMail,
} from 'mailparser';
import { headerLength } from './email-headers.js';

interface PartHeaders {
  contentType: string | false;
  disposition: string | false;
  filename: string | false;
  multipart: string | false;
  headers: { getFirst(name: string): string };
  _boundary: Buffer | false;
  parentNode?: { contentType: string | false };
}

interface MailNode {
  contentType?: string | false;
  charset?: string;
  isAttachment?: boolean;
}

interface ParserInternals {
  createNode(this: MailParser, node: PartHeaders): MailNode;
  libmime: {
    decodeWord(charset: string, encoding: string, text: string): string;
    decodeWords(text: string): string;
    parseHeaderValue(value: string): { params: Record<string, string | undefined> };
  };
}

const internals = MailParser.prototype as object as ParserInternals;

/**
 * The parser decodes each text with the charset of its part, and UTF-8 otherwise. This class decodes it as
 * {@link decodeText} does: mails of some programs have no charset or a wrong one, or name it in the HTML only.
 */
class CharsetParser extends MailParser {
  hasLostPart = false;
  replaced = 0;
  private readonly words = (this as object as ParserInternals).libmime;

  constructor(options: MailParserOptions) {
    super(options);
    const bytesOf = this.words.decodeWord.bind(this.words, 'binary');
    this.words.decodeWord = (charset, encoding, text) =>
      decodeText(Buffer.from(bytesOf(encoding, text), 'latin1'), { contentType: textType(charset.split('*')[0]) }).text;
  }

  /** The parser decodes a text with a stream only if the charset is not UTF-8, so the charset is never empty here. */
  createNode(node: PartHeaders): MailNode {
    node.contentType = soundType(node);
    if (node.filename !== false) node.filename = this.fileName(node);
    const made = internals.createNode.call(this, node);
    if (isTextFile(node)) made.isAttachment = true;
    if (node.multipart !== false && node._boundary === false) this.hasLostPart = true;
    const { contentType, charset } = made;
    if (typeof contentType === 'string' && contentType.startsWith('text/'))
      made.charset = textType(charset, contentType);
    return made;
  }

  getDecoder(): { decodeStream(type: string): Transform } {
    return { decodeStream: (type) => new TextStream(type, (replaced) => (this.replaced += replaced)) };
  }

  private fileName({ headers }: PartHeaders): string | false {
    const parameters = (name: string) => this.words.parseHeaderValue(headers.getFirst(name)).params;
    const name = parameters('Content-Disposition').filename || parameters('Content-Type').name;
    return this.words.decodeWords(name ?? '') || false;
  }
}

const TOKEN = "[!#$%&'*+.^_`|~0-9a-z-]+";
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}`);

/**
 * Returns the media type without what follows it. A type that is not valid counts as `text/plain` (RFC 2045, 5.2), and
 * in an attachment as unknown.
 */
function soundType({ contentType, disposition }: PartHeaders): string {
  const fallback = disposition === 'attachment' ? 'application/octet-stream' : 'text/plain';
  return MEDIA_TYPE.exec(contentType || '')?.[0] ?? fallback;
}

/** Omits ASCII, because programs that name it also send UTF-8. */
function textType(charset: string | undefined, contentType = 'text/plain'): string {
  return charset === undefined || /^(us-?)?ascii$/i.test(charset)
    ? contentType
    : `${contentType}; charset="${charset}"`;
}

function isTextFile({ contentType, disposition, filename, parentNode }: PartHeaders): boolean {
  if (disposition !== 'inline' || filename === false || !parentNode) return false;
  return String(contentType).startsWith('text/') && parentNode.contentType !== 'multipart/alternative';
}

/** Decodes a text as a whole, because its encoding may be known only at its end. */
class TextStream extends Transform {
  private readonly chunks: Buffer[] = [];

  constructor(
    private readonly type: string,
    private readonly onDecoded: (replaced: number) => void,
  ) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.chunks.push(chunk);
    done();
  }

  override _flush(done: TransformCallback): void {
    const isMarkup = this.type.startsWith('text/html');
    const { text, replaced } = decodeText(Buffer.concat(this.chunks), { contentType: this.type, isMarkup });
    this.onDecoded(replaced);
    done(null, text);
  }
}

export type Mail = Pick<ParsedMail, 'headerLines' | 'subject' | 'from' | 'to' | 'cc' | 'replyTo' | 'text' | 'html'> & {
  hasLostPart: boolean;
  replaced: number;
};

export type MailPart = Pick<
  AttachmentCommon,
  'filename' | 'contentType' | 'contentDisposition' | 'contentId' | 'related'
> & { content: Readable };

/**
 * Parses a mail while it arrives. Holds only its header, its texts, and the bytes that the parser has not yet passed on.
 */
export class MailReading {
  private readonly parser: CharsetParser;
  private readonly mail: Mail = { headerLines: [], html: false, hasLostPart: false, replaced: 0 };
  private readonly ended: Promise<void>;
  private head: Buffer | undefined = Buffer.alloc(0);
  private isHeaderRead = false;

  /** @param onPart must read the content of the attachment to its end */
  constructor(options: MailParserOptions, onPart: (part: MailPart) => void) {
    const { mail } = this;
    const parser = new CharsetParser(options);
    this.parser = parser;
    this.ended = new Promise((resolve, reject) => parser.on('error', reject).on('end', resolve));
    // The promise is awaited with the next chunk.
    this.ended.catch(() => undefined);
    parser.on('headers', (headers) => {
      this.isHeaderRead = true;
      const value = (name: string): unknown => headers.get(name);
      const { subject, from, to, cc } = Object.fromEntries(headers) as Partial<Mail>;
      Object.assign(mail, { subject, from, to, cc, replyTo: value('reply-to') });
    });
    parser.on('headerLines', (lines) => (mail.headerLines = lines));
    parser.on('data', (part: AttachmentStream | MessageText) => {
      if (part.type === 'text') return Object.assign(mail, { text: part.text, html: part.html });
      const content = part.content as Readable;
      content.on('end', () => part.release()).on('error', (error) => parser.emit('error', error));
      return onPart({ ...part, content });
    });
  }

  /** The lines of the header. Undefined before they are parsed. */
  get headerLines(): Mail['headerLines'] | undefined {
    return this.isHeaderRead ? this.mail.headerLines : undefined;
  }

  /** Rejects if a limit of the options is exceeded. */
  async write(chunk: Buffer): Promise<void> {
    if (!this.head) return this.pass(chunk);
    this.head = Buffer.concat([this.head, chunk]);
    if (this.head.length - headerLength(this.head) >= BOUNDARY_BYTES) await this.passHead();
  }

  /** Rejects if a limit of the options is exceeded. */
  async end(): Promise<Mail> {
    await this.passHead();
    this.parser.end();
    await this.ended;
    const { hasLostPart, replaced } = this.parser;
    return { ...this.mail, hasLostPart, replaced };
  }

  private async passHead(): Promise<void> {
    const { head } = this;
    this.head = undefined;
    if (head && head.length > 0) await this.pass(repaired(head));
  }

  private pass(chunk: Buffer): Promise<void> {
    const passed = new Promise<void>((resolve) => this.parser.write(chunk, () => resolve()));
    return Promise.race([passed, this.ended]);
  }
}

/**
 * Adds the boundary of a multipart mail that does not name it. If there is none, the mail is plain text.
 * @param raw the header of a mail and the beginning of its body
 */
function repaired(raw: Buffer): Buffer {
  const end = headerLength(raw);
  const header = raw.subarray(0, end);
  const text = isUtf8(header) ? header.toString('utf8') : decodeText(header).text;
  const body = raw.subarray(end);
  const complete = text.replace(MULTIPART_HEADER, (field) => {
    if (/boundary\s*=/i.test(field)) return field;
    const boundary = /^--([^\r\n]{1,70}?)[ \t]*\r?\n/m.exec(body.toString('latin1', 0, BOUNDARY_BYTES))?.[1];
    return boundary === undefined ? 'Content-Type: text/plain' : `${field}; boundary="${boundary}"`;
  });
  return complete === text && isUtf8(header) ? raw : Buffer.concat([Buffer.from(complete), body]);
}

const MULTIPART_HEADER = /^content-type:[ \t]*multipart\/[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*/im;
/** The bytes of the body in which the first boundary is looked for. */
const BOUNDARY_BYTES = 64 * 1024;
