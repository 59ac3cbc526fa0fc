import { ownMember } from '@app/kernel';
export type MediaKind = 'html' | 'markdown' | 'text' | 'pdf' | 'docx';

const BY_TYPE: Readonly<Record<string, MediaKind>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'text/plain': 'text',
  'text/csv': 'text',
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
};

const BY_ENDING: Readonly<Record<string, MediaKind>> = {
  html: 'html', htm: 'html', xhtml: 'html',
  md: 'markdown', markdown: 'markdown', mdx: 'markdown',
  txt: 'text', text: 'text', rst: 'text', adoc: 'text', csv: 'text', log: 'text',
  pdf: 'pdf',
  docx: 'docx',
}; // prettier-ignore

export const READABLE_TYPES = Object.keys(BY_TYPE);

export function essenceOf(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/**
 * If the type is missing or `application/octet-stream`, the file extension of `name` determines the format. Plain text
 * counts as Markdown if `name` has a file extension of Markdown.
 */
export function mediaKind(contentType: string, name: string | null): MediaKind | undefined {
  const essence = essenceOf(contentType);
  const kind = ownMember(BY_TYPE, essence);
  const ending = /\.([a-z]{2,8})$/i.exec((name ?? '').split(/[?#]/, 1)[0] ?? '')?.[1]?.toLowerCase() ?? '';
  if (kind === 'text' && ownMember(BY_ENDING, ending) === 'markdown') return 'markdown';
  if (kind) return kind;
  return essence === '' || essence === 'application/octet-stream' ? ownMember(BY_ENDING, ending) : undefined;
}

const PDF_MARK = [0x25, 0x50, 0x44, 0x46, 0x2d];

/** Like {@link mediaKind}, but recognises a PDF by its content, because servers send PDF files with any media type. */
export function documentKind(bytes: Uint8Array, contentType: string, name: string | null): MediaKind | undefined {
  return PDF_MARK.every((byte, index) => bytes[index] === byte) ? 'pdf' : mediaKind(contentType, name);
}
