import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files for evaluations, by name. `files.expires_at` is infinity while a fixture has the file. */
export class Fixtures1796500200000 implements MigrationInterface {
  readonly name = 'Fixtures1796500200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table fixtures (
      workspace_id text collate "C" not null,
      name text collate "C" not null,
      file_id text collate "C" not null,
      constraint fixtures_pk primary key (workspace_id, name),
      constraint fixtures_file_uq unique (file_id),
      constraint fixtures_workspace_fk foreign key (workspace_id) references workspaces (id)
    )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table fixtures');
  }
}
