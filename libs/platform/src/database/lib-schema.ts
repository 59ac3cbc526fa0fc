import { readFileSync } from 'node:fs';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { SqlFunctionFolder } from './install-sql-functions.js';

export type MigrationClass = new () => MigrationInterface;

/** The first migration of a lib, which creates its tables. The name ends with a timestamp of 13 digits. */
export interface Baseline {
  name: string;
  path: string;
}

/**
 * The schema objects that one lib adds to the database. Each lib exports one LibSchema from `src/migrations/index.ts`,
 * and `libs/installation` lists all of them.
 */
export interface LibSchema {
  baseline?: Baseline;
  /** Migrations after the baseline, in order. A class that is not listed does not run. */
  migrations?: readonly MigrationClass[];
  functions?: SqlFunctionFolder;
}

/** Returns all migrations of the libs. TypeORM runs them in the order of the timestamps at the end of their names. */
export function migrationsOf(libs: readonly LibSchema[]): MigrationClass[] {
  return libs.flatMap(({ baseline, migrations = [] }) => [
    ...(baseline === undefined ? [] : [baselineMigration(baseline)]),
    ...migrations,
  ]);
}

/** Returns the names under which `schema_migrations` records the migrations of the libs. */
export function migrationNames(libs: readonly LibSchema[]): string[] {
  return libs.flatMap(({ baseline, migrations = [] }) => [
    ...(baseline === undefined ? [] : [baseline.name]),
    ...migrations.map(({ name }) => name),
  ]);
}

function baselineMigration({ name, path }: Baseline): MigrationClass {
  return class implements MigrationInterface {
    readonly name = name;

    async up(queryRunner: QueryRunner): Promise<void> {
      await queryRunner.query(readFileSync(path, 'utf8'));
    }

    /**
     * Drops the tables of the baseline with their rows, and all foreign keys that refer to them. Keeps extensions and
     * functions.
     */
    async down(queryRunner: QueryRunner): Promise<void> {
      const tables = [...readFileSync(path, 'utf8').matchAll(/^create table (\w+)/gm)].map(([, table]) => table);
      await queryRunner.query(['drop table', tables.join(', '), 'cascade'].join(' '));
    }
  };
}
