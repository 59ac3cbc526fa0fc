import type { JsonObject } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';

const NAMES = `"(?:[^"]|"")*"|\`[^\`]*\`|\\$([A-Za-z_]*)\\$[^]*?\\$\\1\\$`;
const COMMENTS = `--[^\\n]*|/\\*[^]*?\\*/`;
/**
 * Patterns of comments, strings and quoted names in SQL. In a string, a backslash is an ordinary character (standard
 * SQL) or begins an escape (MySQL). The settings of the server decide which pattern applies.
 */
const READINGS = [`'(?:[^']|'')*'`, `'(?:[^'\\\\]|''|\\\\[^])*'`].map(
  (texts) => new RegExp(`${COMMENTS}|${texts}|${NAMES}`, 'g'),
);

const INTO = /(?<![\w$.@])into\b|(?<![\w$])\d[\w.]*into\b/i;

/** Returns why a text is not one SELECT statement. The read-only transaction prevents writes. */
export function selectProblem(query: string): string | undefined {
  const readings = READINGS.map((quoted) =>
    query.replace(quoted, (found) => (/^(--|\/\*)/.test(found) ? ' -- ' : ' x ')),
  );
  if (!readings.some((text) => /^(?:[\s(]|--)*(select|with|values|table)\b/i.test(text)))
    return 'query must be one SELECT statement (it may begin with WITH, VALUES or TABLE).';
  if (READINGS.some((quoted) => query.match(quoted)?.some((found) => /^\/\*M?!/.test(found))))
    return 'query must be a statement without a comment that begins with `/*!`, because MySQL executes its content.';
  if (readings.some((text) => INTO.test(text)))
    return 'query must be a statement that only reads: it must not contain the word INTO.';
  return readings.every((text) => /;\s*[^\s;]/.test(text))
    ? 'query must be one statement: nothing may follow a semicolon.'
    : undefined;
}

/**
 * Prepares the statement for use as a subquery: removes final semicolons, and adds a line break that ends a final
 * comment.
 */
export function bareSelect(query: string): string {
  return `${query.trimEnd().replace(/;[;\s]*$/, '')}\n`;
}

type RowOrder = { query: string; key_column: string };

/**
 * The rows must be read in the order of their keys. `place` is the key of the last row in the batch, as the database
 * formats it.
 */
export function orderCheckpoint(place: unknown, config: RowOrder): JsonObject {
  return { of: orderOf(config), from: String(place) };
}

export function checkpointKey(checkpoint: JsonObject | null, config: RowOrder): string | undefined {
  return checkpoint?.of === orderOf(config) && typeof checkpoint.from === 'string' ? checkpoint.from : undefined;
}

function orderOf({ query, key_column }: RowOrder): string {
  return sha256(JSON.stringify([query, key_column])).toString('hex');
}
