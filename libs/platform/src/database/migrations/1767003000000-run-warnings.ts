import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a run warns of. A process of the previous release neither reads nor writes it. */
export class RunWarnings1767003000000 implements MigrationInterface {
  readonly name = 'RunWarnings1767003000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table runs add column warnings jsonb not null default '[]'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table runs drop column warnings`);
  }
}
