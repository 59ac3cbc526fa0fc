import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a run refers to files, so that the end of every other run costs nothing for them. */
export class FilesOfRuns1796000200000 implements MigrationInterface {
  readonly name = 'FilesOfRuns1796000200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table runs add column has_files boolean not null default false');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table runs drop column has_files');
  }
}
