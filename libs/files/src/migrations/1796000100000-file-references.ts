import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Where runs refer to files. `files.used_until` is null if no run has referred to the file, infinity while a run that
 * has not ended refers to it, and otherwise the end of the last such run.
 */
export class FileReferences1796000100000 implements MigrationInterface {
  readonly name = 'FileReferences1796000100000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table file_references (
      run_id text collate "C" not null,
      file_id text collate "C" not null,
      place text collate "C" not null,
      workspace_id text collate "C" not null,
      agent_id text collate "C" not null,
      parent_run_id text collate "C",
      step text collate "C",
      redacted boolean not null,
      -- The run has not ended.
      open boolean not null,
      constraint file_references_pk primary key (run_id, file_id, place)
    )`);
    await queryRunner.query('create index file_references_file_ix on file_references (file_id, agent_id)');
    await queryRunner.query('create index file_references_open_ix on file_references (file_id) where open');
    await queryRunner.query(`alter table files
      add column source_run text collate "C", add column source_step text collate "C", add column used_until timestamptz(3)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'alter table files drop column source_run, drop column source_step, drop column used_until',
    );
    await queryRunner.query('drop table file_references');
  }
}
