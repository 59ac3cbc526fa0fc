import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a sync has met in its source and has not read, with the reasons. */
export class SkippedItems1767006000200 implements MigrationInterface {
  readonly name = 'SkippedItems1767006000200';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table knowledge_syncs add column skipped jsonb`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table knowledge_syncs drop column skipped`);
  }
}
