import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `files_unused_ix` takes the place of `files_expired_ix`. */
export class FilesByUse1796000200001 implements MigrationInterface {
  readonly name = 'FilesByUse1796000200001';
  /** That is not possible in a transaction. */
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    // Removes the invalid indexes that an interrupted build leaves.
    await queryRunner.query('drop index concurrently if exists files_unused_ix');
    await queryRunner.query('drop index concurrently if exists files_used_ix');
    await queryRunner.query('drop index concurrently if exists files_source_run_ix');
    await queryRunner.query('drop index concurrently if exists files_missing_ix');
    await queryRunner.query(
      `create index concurrently files_unused_ix on files (expires_at) where status = 'ready' and used_until is null`,
    );
    await queryRunner.query(
      `create index concurrently files_used_ix on files (used_until) where status = 'ready' and used_until is not null`,
    );
    await queryRunner.query(
      'create index concurrently files_source_run_ix on files (source_run) where source_run is not null',
    );
    await queryRunner.query(
      `create index concurrently files_missing_ix on files (workspace_id) where status = 'ready' and bytes_missing_at is not null`,
    );
    await queryRunner.query('drop index concurrently if exists files_expired_ix');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create index files_expired_ix on files (expires_at) where status = 'ready'`);
    await queryRunner.query('drop index files_missing_ix, files_source_run_ix, files_used_ix, files_unused_ix');
  }
}
