import { sha256 } from '@app/platform/crypto';
import type { TableRow } from '@app/platform/sql-clients';
import type { IncomingDocument } from '../contract/items.js';
import { checkLength } from '@app/platform/extraction';
import type { DatabaseConfig } from './database-config.js';

/** @throws DocumentError `document_too_large` */
export function rowDocument(
  row: TableRow,
  key: string,
  cursor: string | undefined,
  config: DatabaseConfig,
): IncomingDocument {
  const columns = config.text_columns.length > 0 ? config.text_columns : othersOf(row, config);
  const sections = columns.flatMap((name) => {
    const text = cellText(row[name])?.trim();
    return text ? [{ name, text }] : [];
  });
  const isSingle = sections.length === 1;
  const text = sections.map(({ name, text }) => (isSingle ? text : `## ${name}\n\n${text}`)).join('\n\n');
  checkLength(text);
  const title = titleOf(row, config) ?? key;
  const url = config.url_column === null ? null : (cellText(row[config.url_column]) ?? null);
  const hash = sha256(JSON.stringify([title, url, text])).toString('hex');
  return {
    key,
    title,
    url,
    contentType: 'text/markdown',
    text,
    hash,
    validator: cursor === undefined ? null : { cursor },
  };
}

export function cellText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (value === null || value === undefined || value instanceof Uint8Array) return undefined;
  return JSON.stringify(value);
}

function titleOf(row: TableRow, { title_column: name }: DatabaseConfig): string | undefined {
  return name === null ? undefined : cellText(row[name])?.trim() || undefined;
}

function othersOf(row: TableRow, config: DatabaseConfig): string[] {
  const named = [config.key_column, config.title_column, config.url_column, config.updated_at_column, 'service_key'];
  return Object.keys(row).filter((name) => !named.includes(name));
}
