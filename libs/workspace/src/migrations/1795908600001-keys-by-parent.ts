import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KeysByParent1795908600001 implements MigrationInterface {
  readonly name = 'KeysByParent1795908600001';
  /** That is not possible in a transaction. */
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index concurrently if exists api_keys_parent_ix');
    await queryRunner.query(
      'create index concurrently api_keys_parent_ix on api_keys (parent_id) where parent_id is not null',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index api_keys_parent_ix');
  }
}
