import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The files whose bytes were not there when a process read them, for people to see. */
export class MissingBytes1796000200000 implements MigrationInterface {
  readonly name = 'MissingBytes1796000200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table files add column bytes_missing_at timestamptz(3)');
    await queryRunner.query(
      `create index files_missing_ix on files (workspace_id) where status = 'ready' and bytes_missing_at is not null`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index files_missing_ix');
    await queryRunner.query('alter table files drop column bytes_missing_at');
  }
}
