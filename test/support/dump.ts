import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

import { copyDatabase, createEmptyTestDatabase, type TestDatabase } from './postgres.js';

/**
 * Copies a database with pg_dump and pg_restore. If pg_dump is not installed or older than the server, uses the
 * original as a template database instead. The original must have no open connections.
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

/** Returns the major version of pg_dump, or 0 if pg_dump is not installed. */
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
