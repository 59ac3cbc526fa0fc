const NAMES = `"(?:[^"]|"")*"|\`[^\`]*\`|\\$([A-Za-z_]*)\\$[^]*?\\$\\1\\$`;
const COMMENTS = `--[^\\n]*|/\\*[^]*?\\*/`;
/** Texts with a backslash as it is (standard SQL) and as an escape (MySQL): which it is, the server's settings say. */
const READINGS = [`'(?:[^']|'')*'`, `'(?:[^'\\\\]|''|\\\\[^])*'`].map(
  (texts) => new RegExp(`${COMMENTS}|${texts}|${NAMES}`, 'g'),
);

/**
 * What keeps a text from being one SELECT statement; undefined where nothing does, or where only the database can tell. It never writes in any
 * case: this is for people who would otherwise learn it from a sync.
 */
export function selectProblem(query: string): string | undefined {
  const readings = READINGS.map((quoted) =>
    query.replace(quoted, (found) => (/^(--|\/\*)/.test(found) ? ' -- ' : ' x ')),
  );
  if (!readings.some((text) => /^(?:[\s(]|--)*(select|with|values|table)\b/i.test(text)))
    return 'query must be one SELECT statement (it may begin with WITH, VALUES or TABLE).';
  return readings.every((text) => /;\s*[^\s;]/.test(text))
    ? 'query must be one statement: nothing may follow a semicolon.'
    : undefined;
}

/** As it stands within another statement: a comment at its end ends there, and a semicolon has no place. */
export function bareSelect(query: string): string {
  return `${query.trimEnd().replace(/;[;\s]*$/, '')}\n`;
}
