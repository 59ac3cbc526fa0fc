import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The files whose bytes were not there when a process read them, for people to see. */
export class MissingBytes1796000200000 implements MigrationInterface {
  readonly name = 'MissingBytes1796000200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table files add column bytes_missing_at timestamptz(3)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table files drop column bytes_missing_at');
  }
}
