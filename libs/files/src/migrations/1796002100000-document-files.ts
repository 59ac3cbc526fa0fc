import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rows with the source `document`: the bytes of documents of knowledge bases. */
export class DocumentFiles1796002100000 implements MigrationInterface {
  readonly name = 'DocumentFiles1796002100000';
  /** Indexes cannot be built concurrently in a transaction. */
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('set statement_timeout = 0');
    // Removes the invalid index that an interrupted build leaves.
    await queryRunner.query('drop index concurrently if exists files_documents_ix');
    await queryRunner.query(
      `create index concurrently files_documents_ix on files (workspace_id) include (bytes) where source = 'document'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index files_documents_ix');
  }
}
