import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

import { copyDatabase, createEmptyTestDatabase, type TestDatabase } from './postgres.js';

/**
 * A copy of a database as after the restore of a backup: with pg_dump and pg_restore if their version is at least the
 * server's, else with a template copy of Postgres. The original must have no connections.
 */
export async function restoreCopy(
  original: TestDatabase,
): Promise<{ database: TestDatabase; how: 'pg_dump' | 'copy' }> {
  if (dumpVersion() < (await serverVersion(original.url))) {
    return { database: await copyDatabase(original), how: 'copy' };
  }
  const directory = mkdtempSync(join(tmpdir(), 'dump-'));
  try {
    const file = join(directory, 'backup');
    execFileSync('pg_dump', ['--format=custom', `--file=${file}`, original.url]);
    const database = await createEmptyTestDatabase();
    execFileSync('pg_restore', ['--no-owner', '--exit-on-error', `--dbname=${database.url}`, file]);
    return { database, how: 'pg_dump' };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** 0 if it is not installed. */
function dumpVersion(): number {
  try {
    return Number(/(\d+)\./.exec(execFileSync('pg_dump', ['--version'], { encoding: 'utf8' }))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

async function serverVersion(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ major: number }>(
    `select current_setting('server_version_num')::integer / 10000 as major`,
  );
  await client.end();
  return rows[0]!.major;
}
