import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Under which version of the reader a document was read. */
export class ReaderVersion1767010000100 implements MigrationInterface {
  readonly name = 'ReaderVersion1767010000100';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table knowledge_documents add column read_version integer`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table knowledge_documents drop column read_version`);
  }
}
