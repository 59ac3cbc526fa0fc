import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const FUNCTIONS = ['shown_value.sql', 'error_group.sql'].map((name) => join(import.meta.dirname, '../sql', name));

/**
 * Finds the runs that failed with equal errors. Its condition is on the group and not on the error, so that no plan for
 * the filter by error code uses it.
 */
export class ErrorGroups1796001800000 implements MigrationInterface {
  readonly name = 'ErrorGroups1796001800000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('set statement_timeout = 0');
    // The functions of the lib are installed after its migrations.
    for (const path of FUNCTIONS) await queryRunner.query(await readFile(path, 'utf8'));
    await queryRunner.query('drop index concurrently if exists runs_error_group_ix');
    await queryRunner.query(
      `create index concurrently runs_error_group_ix on runs (workspace_id, run_machine.error_group(error), id)
        where run_machine.error_group(error) is not null`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index runs_error_group_ix');
  }
}
