import type { MigrationInterface, QueryRunner } from 'typeorm';

export class FilesByWrite1796002000001 implements MigrationInterface {
  readonly name = 'FilesByWrite1796002000001';
  /** That is not possible in a transaction. */
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('set statement_timeout = 0');
    // Removes the invalid index that an interrupted build leaves.
    await queryRunner.query('drop index concurrently if exists files_written_uq');
    await queryRunner.query(
      'create unique index concurrently files_written_uq on files (workspace_id, write_key) where write_key is not null',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index files_written_uq');
  }
}
