import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import type { AttachmentCommon } from 'mailparser';
import type { MailAttachment } from './mail-parser.js';
import { plainLine, plainText } from './plain-text.js';
import type { EmailAttachment, EmailCuts } from './received-email.js';

const TEXTUAL = /^text\/|^application\/(json|xml|yaml|x-yaml|csv|x-ndjson)$|\+(json|xml)$/;

/**
 * Includes the content of an attachment if it fits into the limit for one attachment and into the rest of the limit for
 * all.
 */
export function emailAttachments(parts: readonly MailAttachment[], cut: EmailCuts): EmailAttachment[] {
  let left = cut.allAttachments;
  return parts.slice(0, cut.attachments).map((part, index) => {
    const content = contentOf(part, Math.min(left, cut.attachment));
    left -= content.content?.length ?? 0;
    return {
      name: fileName(part.filename) || `attachment-${index + 1}`,
      content_type: plainLine(part.contentType).toLowerCase().slice(0, 255) || 'application/octet-stream',
      size: part.content.length,
      sha256: createHash('sha256').update(part.content).digest('hex'),
      inline: isInline(part),
      content_id: part.contentId === undefined ? null : plainLine(part.contentId).slice(0, cut.line),
      ...content,
    };
  });
}

/** The parser omits `related` when it is false. */
function isInline({
  contentDisposition,
  related = false,
}: Pick<AttachmentCommon, 'contentDisposition' | 'related'>): boolean {
  return contentDisposition === 'inline' || related;
}

function contentOf(
  { content, contentType }: MailAttachment,
  limit: number,
): Pick<EmailAttachment, 'encoding' | 'content'> {
  if (TEXTUAL.test(contentType) && content.length <= limit && isUtf8(content)) {
    return { encoding: 'text', content: plainText(content.toString('utf8')) };
  }
  if (Math.ceil(content.length / 3) * 4 > limit) return { encoding: null, content: null };
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
