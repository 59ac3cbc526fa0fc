import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Only sums by agent need the column; those from before this migration count no failed runs. */
export class FailedRuns1796001000000 implements MigrationInterface {
  readonly name = 'FailedRuns1796001000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table run_statistics add failed bigint not null default 0');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table run_statistics drop failed');
  }
}
