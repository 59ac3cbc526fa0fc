import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';

export interface SqlFunctionFolder {
  name: string;
  path: string;
}

interface SqlFile {
  name: string;
  sql: string;
}

/**
 * Functions are created or replaced but never dropped, because a process of the previous release may still call an old
 * signature.
 */
export async function installSqlFunctions(queryRunner: QueryRunner, folder: SqlFunctionFolder): Promise<boolean> {
  const files = readSqlFiles(folder.path);
  await queryRunner.query(`create table if not exists schema_functions (
    name text primary key, sha256 text not null, installed_at timestamptz not null default clock_timestamp())`);
  const sha256 = createHash('sha256').update(JSON.stringify(files)).digest('hex');
  const rows = (await queryRunner.query('select 1 from schema_functions where name = $1 and sha256 = $2', [
    folder.name,
    sha256,
  ])) as unknown[];
  if (rows.length > 0) return false;
  // A function may call a function of a later file, so Postgres must not check function bodies during the installation.
  await queryRunner.query('set local check_function_bodies = off');
  for (const file of files) await queryRunner.query(file.sql);
  await queryRunner.query(
    `insert into schema_functions (name, sha256) values ($1, $2)
     on conflict (name) do update set sha256 = excluded.sha256, installed_at = clock_timestamp()`,
    [folder.name, sha256],
  );
  return true;
}

function readSqlFiles(path: string): SqlFile[] {
  return readdirSync(path)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: file, sql: readFileSync(join(path, file), 'utf8') }));
}
