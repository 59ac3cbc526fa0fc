import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DraftsByKey1795955200002 implements MigrationInterface {
  readonly name = 'DraftsByKey1795955200002';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index concurrently if exists agents_draft_key_ix');
    await queryRunner.query(
      'create index concurrently agents_draft_key_ix on agents (draft_key_id) where draft_key_id is not null',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index agents_draft_key_ix');
  }
}
