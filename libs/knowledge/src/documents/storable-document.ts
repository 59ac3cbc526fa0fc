import type { IncomingDocument } from '@app/connectors';
import { createHash } from 'node:crypto';

export interface SourceScope {
  workspaceId: string;
  knowledgeBaseId: string;
  sourceId: string;
  syncId: string;
}

const MAX_KEY = 500;
const MAX_TITLE = 500;
const MAX_URL = 4_000;

/** A long key is shortened and gets a hash, so that it stays unique and fits into an index. */
export function storedKey(key: string): string {
  const plain = storable(key);
  if (plain.length <= MAX_KEY) return plain;
  return `${plain.slice(0, MAX_KEY - 65)}#${createHash('sha256').update(plain).digest('hex')}`;
}

export function storableDocument(document: IncomingDocument): IncomingDocument {
  const text = storable(document.text);
  const title = storable(document.title).trim().slice(0, MAX_TITLE) || lastPart(document.url ?? document.key);
  const url = document.url === null || document.url.length > MAX_URL ? null : storable(document.url);
  return { ...document, key: storedKey(document.key), title: title.toWellFormed(), url, text };
}

function storable(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', ' ') : whole;
}

function lastPart(address: string): string {
  return storable(address.split('/').filter(Boolean).at(-1) ?? 'Untitled').slice(0, MAX_TITLE);
}
