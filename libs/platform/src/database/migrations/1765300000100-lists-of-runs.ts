import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs by what started them and by their mode, where that is not the most frequent one. */
export class ListsOfRuns1765300000100 implements MigrationInterface {
  readonly name = 'ListsOfRuns1765300000100';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create index runs_test_mode_ix on runs (workspace_id, id) where mode = 'test'`);
    await queryRunner.query(
      `create index runs_trigger_ix on runs (workspace_id, (trigger ->> 'type'), id) where trigger ->> 'type' <> 'api'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop index runs_trigger_ix, runs_test_mode_ix`);
  }
}
