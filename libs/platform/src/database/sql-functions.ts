import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';

/** A set of SQL functions that is installed as a whole whenever its text has changed (a repeatable migration). */
export interface SqlFunctionSet {
  name: string;
  files: readonly { name: string; sql: string }[];
}

/** Reads every `.sql` file of a folder in the order of the names. */
export function readSqlFunctionSet(name: string, folder: string): SqlFunctionSet {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: file, sql: readFileSync(join(folder, file), 'utf8') }));
  return { name, files };
}

/**
 * Installs the set inside the caller's transaction unless this very text is installed already.
 * Functions are only ever created or replaced: a process of the previous release may still call the old signature.
 */
export async function installSqlFunctions(queryRunner: QueryRunner, set: SqlFunctionSet): Promise<boolean> {
  await queryRunner.query(`create table if not exists schema_functions (
    name text primary key, sha256 text not null, installed_at timestamptz not null default clock_timestamp())`);
  const sha256 = createHash('sha256').update(JSON.stringify(set.files)).digest('hex');
  const rows = (await queryRunner.query('select 1 from schema_functions where name = $1 and sha256 = $2', [
    set.name,
    sha256,
  ])) as unknown[];
  if (rows.length > 0) return false;
  // Functions call one another; whether each exists is found out when they are called, not in the order of the files.
  await queryRunner.query('set local check_function_bodies = off');
  for (const file of set.files) await queryRunner.query(file.sql);
  await queryRunner.query(
    `insert into schema_functions (name, sha256) values ($1, $2)
     on conflict (name) do update set sha256 = excluded.sha256, installed_at = clock_timestamp()`,
    [set.name, sha256],
  );
  return true;
}
