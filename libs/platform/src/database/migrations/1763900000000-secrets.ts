import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Secrets of a workspace, and API keys that are replaced without an interruption. */
export class Secrets1763900000000 implements MigrationInterface {
  readonly name = 'Secrets1763900000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await queryRunner.query(statement);
  }
}

const UP = [
  // The value is sealed for this very row: copied to another name or workspace it does not open.
  `create table secrets (
    workspace_id text collate "C" not null,
    name text collate "C" not null,
    value bytea not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    updated_at timestamptz(3) not null default clock_timestamp(),
    updated_by text not null,
    constraint secrets_pk primary key (workspace_id, name),
    constraint secrets_workspace_fk foreign key (workspace_id) references workspaces (id)
  )`,
  // The text that a rotated key had before is valid for a while.
  `alter table api_keys
    add previous_hash bytea,
    add previous_expires_at timestamptz(3),
    add constraint api_keys_previous_hash_uq unique (previous_hash),
    add constraint api_keys_previous_ck check ((previous_hash is null) = (previous_expires_at is null))`,
];

const DOWN = [
  `alter table api_keys
    drop constraint api_keys_previous_ck,
    drop constraint api_keys_previous_hash_uq,
    drop previous_expires_at,
    drop previous_hash`,
  `drop table secrets`,
];
