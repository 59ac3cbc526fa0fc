import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Callbacks1795600600001 implements MigrationInterface {
  readonly name = 'Callbacks1795600600001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table run_callbacks (
      run_id text collate "C" not null,
      path text collate "C" not null,
      workspace_id text collate "C" not null,
      body jsonb not null,
      received_at timestamptz(3) not null default clock_timestamp(),
      constraint run_callbacks_pk primary key (run_id, path)
    )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table run_callbacks');
  }
}
