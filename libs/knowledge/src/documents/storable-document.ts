import type { IncomingDocument } from '@app/connectors';
import { createHash } from 'node:crypto';

/** Whose documents, and which sync brings them. */
export interface SourceScope {
  workspaceId: string;
  knowledgeBaseId: string;
  sourceId: string;
  syncId: string;
}

const LONGEST_KEY = 500;
const LONGEST_TITLE = 500;
const LONGEST_URL = 4_000;

/** A key that fits into an index: a long one is cut, and stays unique by its hash. */
export function storedKey(key: string): string {
  const plain = storable(key);
  if (plain.length <= LONGEST_KEY) return plain;
  return `${plain.slice(0, LONGEST_KEY - 65)}#${createHash('sha256').update(plain).digest('hex')}`;
}

/** The document as Postgres can keep it, of its length and with its offsets; keys and titles are cut where they are no such thing. */
export function storableDocument(document: IncomingDocument): IncomingDocument {
  const text = storable(document.text);
  const title = storable(document.title).trim().slice(0, LONGEST_TITLE) || lastPart(document.url ?? document.key);
  const url = document.url === null || document.url.length > LONGEST_URL ? null : storable(document.url);
  return { ...document, key: storedKey(document.key), title: title.toWellFormed(), url, text };
}

/** Postgres has no NUL in a text, and UTF-8 no half of a surrogate pair: each becomes one other character. */
function storable(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', ' ') : whole;
}

function lastPart(address: string): string {
  return storable(address.split('/').filter(Boolean).at(-1) ?? 'Untitled').slice(0, LONGEST_TITLE);
}
