import type { Pool } from 'pg';

const LISTED = 25;
const TEXT_LENGTH = 110;

/**
 * Returns a report about the cost of the statements that the database has executed, most expensive first. The cost of a
 * function includes the statements inside it, which are also listed separately. The server must record the cost of
 * statements (see `BenchDatabase.start`).
 */
export async function statementReport(database: Pool): Promise<string> {
  await database.query('create extension if not exists pg_stat_statements');
  const { rows } = await database.query<{
    calls: string;
    total: number;
    each: number;
    wal: string;
    top: boolean;
    text: string;
  }>(
    `select calls, total_exec_time as total, mean_exec_time as each, wal_bytes / calls as wal, toplevel as top,
            regexp_replace(query, '\\s+', ' ', 'g') as text
       from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
      order by total_exec_time desc limit $1`,
    [LISTED],
  );
  const lines = rows.map(({ calls, total, each, wal, top, text }) =>
    [
      total.toFixed(0).padStart(8),
      calls.padStart(8),
      each.toFixed(3).padStart(8),
      Number(wal).toFixed(0).padStart(7),
      top ? ' ' : '└',
      text.slice(0, TEXT_LENGTH),
    ].join(' '),
  );
  return ['statements: total ms, calls, ms each, WAL bytes each; └ is inside a function', ...lines].join('\n');
}
