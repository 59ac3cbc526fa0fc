import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The bytes of an upload are a file of the storage. `content` has them in rows that a worker has not moved yet. A
 * process of the previous release reads no bytes of new rows; the next sync by a process of this release reads them.
 */
export class StoredUploads1796002200000 implements MigrationInterface {
  readonly name = 'StoredUploads1796002200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table knowledge_uploads add column file_id text collate "C"');
    await queryRunner.query('alter table knowledge_uploads alter column content drop not null');
  }

  /** Content that is in the storage cannot be brought back. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table knowledge_uploads alter column content set not null');
    await queryRunner.query('alter table knowledge_uploads drop column file_id');
  }
}
