import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The default is set after the column is added, so that Postgres does not rewrite the table. */
export class RunChanges1795488000000 implements MigrationInterface {
  readonly name = 'RunChanges1795488000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create or replace function run_machine.current_xid() returns bigint
      language sql volatile as 'select pg_current_xact_id()::text::bigint'`);
    await queryRunner.query('alter table runs add change_xid bigint');
    await queryRunner.query('alter table runs alter change_xid set default run_machine.current_xid()');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop trigger if exists runs_stamp_change on runs');
    await queryRunner.query('alter table runs drop change_xid');
    await queryRunner.query('drop function run_machine.current_xid()');
  }
}
