import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `run_id` is empty for the state itself; a run in mode `test` writes to a copy under its own id, where an entry
 * without a value marks a deleted key. The column `value` is of type json, because jsonb does not keep the order of
 * members. A repeated call therefore takes effect only once.
 */
export class AgentState1795600500000 implements MigrationInterface {
  readonly name = 'AgentState1795600500000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table state_entries (
      owner_id text collate "C" not null,
      run_id text collate "C" not null default '',
      key text collate "C" not null,
      workspace_id text collate "C" not null,
      value json,
      version bigint not null,
      updated_at timestamptz(3) not null,
      expires_at timestamptz(3),
      constraint state_entries_pk primary key (owner_id, run_id, key),
      constraint state_entries_value_ck check (value is not null or run_id <> '')
    ) with (fillfactor = 80)`);
    await queryRunner.query(`create index state_entries_run_ix on state_entries (run_id) where run_id <> ''`);
    await queryRunner.query(
      `create index state_entries_expires_ix on state_entries (expires_at) where expires_at is not null and run_id = ''`,
    );
    await queryRunner.query(`create table state_writes (
      run_id text collate "C" not null,
      path text collate "C" not null,
      workspace_id text collate "C" not null,
      value json,
      version bigint not null,
      updated_at timestamptz(3) not null,
      expires_at timestamptz(3),
      constraint state_writes_pk primary key (run_id, path)
    )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // `cascade` also drops the functions that return entries. They are created again at each start.
    await queryRunner.query('drop table state_entries, state_writes cascade');
  }
}
