import { Client } from 'pg';

const CONNECTED_WITHIN_MS = 2_000;

export async function queryOnce<Row extends object>(
  url: string,
  sql: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECTED_WITHIN_MS });
  // Without a listener, a connection that breaks would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(sql, [...parameters])).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
