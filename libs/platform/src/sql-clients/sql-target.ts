import { TableReadError } from './table-reader.js';

export type SqlKind = 'postgres' | 'mysql';

/** `hostname` has no square brackets. */
export interface SqlTarget {
  url: URL;
  hostname: string;
  port: number;
}

const KINDS = {
  postgres: { protocol: /^postgres(ql)?:$/, port: 5_432, example: 'postgres://user:password@host:5432/database' },
  mysql: { protocol: /^(mysql|mariadb):$/, port: 3_306, example: 'mysql://user:password@host:3306/database' },
} as const;

/** @throws TableReadError if the text is not a DSN of this kind */
export function sqlTarget(kind: SqlKind, dsn: string): SqlTarget {
  const { protocol, port, example } = KINDS[kind];
  if (URL.canParse(dsn)) {
    const url = new URL(dsn);
    if (protocol.test(url.protocol) && url.hostname !== '')
      return { url, hostname: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || port };
  }
  throw new TableReadError('unreachable', `The secret is not a DSN. Write it like ${example}.`);
}

/** @throws TableReadError for a `%` that does not begin an escape sequence */
export function credentialsOf({ url }: SqlTarget): { user: string; password: string; database: string } {
  try {
    const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(decodeURIComponent);
    return { user: user ?? '', password: password ?? '', database: database ?? '' };
  } catch (cause) {
    const message = 'The DSN contains a % that does not begin an escape sequence. Write %25 for a percent sign.';
    throw new TableReadError('unreachable', message, { cause });
  }
}
