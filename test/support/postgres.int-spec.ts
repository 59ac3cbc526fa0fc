import { Client } from 'pg';

import { createEmptyTestDatabase, createTestDatabase } from './postgres.js';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('test databases', () => {
  it('gives every caller a migrated database of its own, even when asked many times at once', async () => {
    const databases = await Promise.all(Array.from({ length: 4 }, () => createTestDatabase()));
    await Promise.all(databases.map(({ url }) => query(url, 'CREATE TABLE only_here (id integer)')));
    const tables = await query(databases[0]?.url ?? '', "SELECT 1 FROM pg_tables WHERE schemaname = 'public'");
    expect(tables.length).toBeGreaterThan(1);
    await Promise.all(databases.map((database) => database.drop()));
  });

  it('drops a database although a session is still open', async () => {
    const database = await createEmptyTestDatabase();
    const left = new Client({ connectionString: database.url });
    const ended = new Promise((resolve) => left.on('error', resolve));
    await left.connect();
    await database.drop();
    await ended;
    await expect(query(database.url, 'SELECT 1')).rejects.toMatchObject({ code: '3D000' });
  });
});
