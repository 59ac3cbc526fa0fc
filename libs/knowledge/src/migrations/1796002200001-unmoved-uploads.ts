import type { MigrationInterface, QueryRunner } from 'typeorm';

export class UnmovedUploads1796002200001 implements MigrationInterface {
  readonly name = 'UnmovedUploads1796002200001';
  /** Indexes cannot be built concurrently in a transaction. */
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('set statement_timeout = 0');
    // Removes the invalid index that an interrupted build leaves.
    await queryRunner.query('drop index concurrently if exists knowledge_uploads_unmoved_ix');
    await queryRunner.query(
      'create index concurrently knowledge_uploads_unmoved_ix on knowledge_uploads (source_id, key) where file_id is null',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index knowledge_uploads_unmoved_ix');
  }
}
