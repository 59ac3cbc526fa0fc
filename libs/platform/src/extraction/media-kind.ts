import { ownMember } from '@app/kernel';
/** What a document is read as. */
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

/** Media types that documents may be of, as people are told. */
export const READABLE_TYPES = Object.keys(BY_TYPE);

/** `text/html; charset=utf-8` without its parameters, in lower case. */
export function essenceOf(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/**
 * How to read a document of this media type; where the type says nothing (`application/octet-stream`, none), the ending of its
 * address or name decides. Undefined: it is no document.
 */
export function mediaKind(contentType: string, name: string | null): MediaKind | undefined {
  const essence = essenceOf(contentType);
  const kind = ownMember(BY_TYPE, essence);
  const ending = /\.([a-z]{2,8})$/i.exec((name ?? '').split(/[?#]/, 1)[0] ?? '')?.[1]?.toLowerCase() ?? '';
  if (kind === 'text' && ownMember(BY_ENDING, ending) === 'markdown') return 'markdown';
  if (kind) return kind;
  return essence === '' || essence === 'application/octet-stream' ? ownMember(BY_ENDING, ending) : undefined;
}

/** `%PDF-` */
const PDF_MARK = [0x25, 0x50, 0x44, 0x46, 0x2d];

/** As {@link mediaKind}, of a document that is there: a PDF says what it is better than servers do, which send it as anything. */
export function documentKind(bytes: Uint8Array, contentType: string, name: string | null): MediaKind | undefined {
  return PDF_MARK.every((byte, index) => bytes[index] === byte) ? 'pdf' : mediaKind(contentType, name);
}
