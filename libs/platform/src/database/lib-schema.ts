import { readFileSync } from 'node:fs';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { SqlFunctionFolder } from './install-sql-functions.js';

export type MigrationClass = new () => MigrationInterface;

export interface Baseline {
  name: string;
  path: string;
}

/** The schema objects that one lib adds to the database. */
export interface LibSchema {
  baseline?: Baseline;
  /** A class that is not listed does not run. */
  migrations?: readonly MigrationClass[];
  functions?: SqlFunctionFolder;
}

export function migrationsOf(libs: readonly LibSchema[]): MigrationClass[] {
  return libs.flatMap(({ baseline, migrations = [] }) => [
    ...(baseline === undefined ? [] : [baselineMigration(baseline)]),
    ...migrations,
  ]);
}

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

    async down(queryRunner: QueryRunner): Promise<void> {
      const tables = [...readFileSync(path, 'utf8').matchAll(/^create table (\w+)/gm)].map(([, table]) => table);
      await queryRunner.query(['drop table', tables.join(', '), 'cascade'].join(' '));
    }
  };
}
