import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KeyParents1795908600000 implements MigrationInterface {
  readonly name = 'KeyParents1795908600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table api_keys add column parent_id text collate "C"');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table api_keys drop column parent_id');
  }
}
