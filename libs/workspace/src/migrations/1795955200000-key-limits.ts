import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Processes of the previous release create keys without limits, and enforce none. */
export class KeyLimits1795955200000 implements MigrationInterface {
  readonly name = 'KeyLimits1795955200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'alter table api_keys add column agents text[], add column is_automation boolean not null default false',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table api_keys drop column is_automation, drop column agents');
  }
}
