import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Processes of the previous release leave it empty, and such a key then cannot read the run. */
export class KeysOfDrafts1795955200001 implements MigrationInterface {
  readonly name = 'KeysOfDrafts1795955200001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table agents add draft_key_id text collate "C"');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table agents drop draft_key_id');
  }
}
