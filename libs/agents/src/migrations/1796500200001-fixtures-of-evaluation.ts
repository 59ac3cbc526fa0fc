import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The files that an evaluation uses, as values by the names of their fixtures. The previous release writes none. */
export class FixturesOfEvaluation1796500200001 implements MigrationInterface {
  readonly name = 'FixturesOfEvaluation1796500200001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table evaluations add fixtures jsonb not null default '{}'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table evaluations drop fixtures');
  }
}
