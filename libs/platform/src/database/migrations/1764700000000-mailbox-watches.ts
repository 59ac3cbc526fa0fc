import type { MigrationInterface, QueryRunner } from 'typeorm';

/** IMAP folders that are watched for mail. */
export class MailboxWatches1764700000000 implements MigrationInterface {
  readonly name = 'MailboxWatches1764700000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table mailbox_watches');
  }
}

const UP = [
  // One row for each IMAP folder of a production version's triggers, kept so by run_machine.follow_mailbox_watches.
  `create table mailbox_watches (
    agent_id text collate "C" not null,
    trigger_id text collate "C" not null,
    workspace_id text collate "C" not null,
    account jsonb not null,
    uid_validity bigint,
    last_uid bigint,
    since timestamptz not null default clock_timestamp(),
    due_at timestamptz not null default clock_timestamp(),
    worker text collate "C",
    lease_until timestamptz,
    failures integer not null default 0,
    error text,
    constraint mailbox_watches_pk primary key (agent_id, trigger_id),
    constraint mailbox_watches_trigger_fk foreign key (agent_id, trigger_id) references triggers (agent_id, id) on delete cascade,
    constraint mailbox_watches_cursor_ck check ((uid_validity is null) = (last_uid is null)),
    constraint mailbox_watches_lease_ck check ((worker is null) = (lease_until is null))
  )`,
  `create index mailbox_watches_due_ix on mailbox_watches (due_at)`,
];
