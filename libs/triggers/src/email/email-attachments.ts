import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import type { MailPart } from './mail-parser.js';
import { plainLine, plainText } from './plain-text.js';
import type { EmailCuts, ParsedAttachment } from './received-email.js';

const TEXTUAL = /^text\/|^application\/(json|xml|yaml|x-yaml|csv|x-ndjson)$|\+(json|xml)$/;

/** Bytes of an attachment, in order. `begins` and `ends` are set for the first and the last piece of the attachment. */
export interface AttachmentPiece {
  begins?: { name: string; contentType: string };
  bytes?: Uint8Array;
  ends?: true;
}

/**
 * Reads the attachments of a mail one after the other. An attachment contains its content if it fits into the limit for
 * one attachment and into the rest of the limit for all. All bytes also become pieces.
 */
export class EmailAttachments {
  readonly shown: ParsedAttachment[] = [];
  /** Number of all attachments, also of those beyond the limit. */
  count = 0;
  private pieces: AttachmentPiece[] = [];
  private left: number;

  constructor(private readonly cut: EmailCuts) {
    this.left = cut.allAttachments;
  }

  /** Returns the pieces since the last call. */
  takePieces(): AttachmentPiece[] {
    return this.pieces.splice(0);
  }

  add(part: MailPart): void {
    const { content } = part;
    if (++this.count > this.cut.attachments) {
      content.resume();
      return;
    }
    const name = fileName(part.filename) || `attachment-${this.count}`;
    const limit = Math.min(this.left, this.cut.attachment);
    const hash = createHash('sha256');
    let size = 0;
    let kept: Buffer[] = [];
    this.pieces.push({ begins: { name, contentType: part.contentType } });
    content.on('data', (bytes: Buffer) => {
      hash.update(bytes);
      size += bytes.length;
      if (size <= limit) kept.push(bytes);
      else kept = [];
      this.pieces.push({ bytes });
    });
    content.on('end', () => {
      const shown = size <= limit ? contentOf(Buffer.concat(kept), part.contentType, limit) : NOT_SHOWN;
      this.left -= shown.content?.length ?? 0;
      this.shown.push({
        name,
        content_type: plainLine(part.contentType).toLowerCase().slice(0, 255) || 'application/octet-stream',
        size,
        sha256: hash.digest('hex'),
        inline: isInline(part),
        content_id: part.contentId === undefined ? null : plainLine(part.contentId).slice(0, this.cut.line),
        ...shown,
      });
      this.pieces.push({ ends: true });
    });
  }
}

const NOT_SHOWN = { encoding: null, content: null } as const;

/** The parser omits `related` when it is false. */
function isInline({ contentDisposition, related = false }: MailPart): boolean {
  return contentDisposition === 'inline' || related;
}

function contentOf(
  content: Buffer,
  contentType: string,
  limit: number,
): Pick<ParsedAttachment, 'encoding' | 'content'> {
  if (TEXTUAL.test(contentType) && isUtf8(content)) {
    return { encoding: 'text', content: plainText(content.toString('utf8')) };
  }
  if (Math.ceil(content.length / 3) * 4 > limit) return NOT_SHOWN;
  return { encoding: 'base64', content: content.toString('base64') };
}

/** Returns a file name that is safe to write to a disk: without folders, control characters and leading dots. */
function fileName(given: string | undefined): string {
  const last =
    plainLine(given ?? '')
      .split(/[/\\]/)
      .at(-1) ?? '';
  return last.replace(/^\.+/, '').trim().slice(0, 255).toWellFormed();
}
