import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The idempotent writes that have stored a file. Processes of the previous release fill no such key. */
export class WrittenFiles1796002000000 implements MigrationInterface {
  readonly name = 'WrittenFiles1796002000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table files add column write_key bytea');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table files drop column write_key');
  }
}
