import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DueDraftAgents1795489300001 implements MigrationInterface {
  readonly name = 'DueDraftAgents1795489300001';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index concurrently if exists agents_draft_ix');
    await queryRunner.query(
      'create index concurrently agents_draft_ix on agents (draft_until) where draft_until is not null',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index agents_draft_ix');
  }
}
