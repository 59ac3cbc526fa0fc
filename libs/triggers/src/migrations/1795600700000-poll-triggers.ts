import type { MigrationInterface, QueryRunner } from 'typeorm';

export class PollTriggers1795600700000 implements MigrationInterface {
  readonly name = 'PollTriggers1795600700000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table triggers drop constraint triggers_type_ck, add constraint triggers_type_ck
      check (type in ('webhook', 'email.received', 'schedule', 'poll')) not valid`);
    await queryRunner.query('alter table triggers validate constraint triggers_type_ck');
    await queryRunner.query(`create table poll_watches (
      agent_id text collate "C" not null,
      trigger_id text collate "C" not null,
      workspace_id text collate "C" not null,
      declared jsonb not null,
      -- Fingerprint of the tool, items and key of the trigger at the first poll. Null before the first poll. If a
      -- promotion changes one of them, the next poll counts as the first poll and replaces the fingerprint.
      remembered text,
      -- Time at which the last successful poll began.
      last_at timestamptz,
      -- Null while the agent is not active. Also null after the poll became due in a stopped workspace, until the
      -- workspace is resumed.
      due_at timestamptz,
      worker text collate "C",
      lease_until timestamptz,
      error text,
      constraint poll_watches_pk primary key (agent_id, trigger_id),
      constraint poll_watches_trigger_fk foreign key (agent_id, trigger_id) references triggers (agent_id, id) on delete cascade,
      constraint poll_watches_lease_ck check ((worker is null) = (lease_until is null))
    )`);
    await queryRunner.query('create index poll_watches_due_ix on poll_watches (due_at) where due_at is not null');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table poll_watches');
    await queryRunner.query(`delete from triggers where type = 'poll'`);
    await queryRunner.query(`alter table triggers drop constraint triggers_type_ck, add constraint triggers_type_ck
      check (type in ('webhook', 'email.received', 'schedule'))`);
  }
}
