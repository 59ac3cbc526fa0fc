import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `oauth_tokens` has their tokens. A pending authorisation now belongs to a knowledge base or to a connection. */
export class Connections1795600300000 implements MigrationInterface {
  readonly name = 'Connections1795600300000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table connections (
      id text collate "C" not null,
      workspace_id text collate "C" not null,
      name text not null,
      provider text collate "C" not null,
      scopes text[] not null,
      agents text[] not null,
      status text not null default 'pending',
      account text,
      error jsonb,
      created_by text not null,
      authorized_by text,
      authorized_at timestamptz(3),
      last_used_at timestamptz(3),
      created_at timestamptz(3) not null default clock_timestamp(),
      updated_at timestamptz(3) not null default clock_timestamp(),
      constraint connections_pk primary key (id),
      constraint connections_name_uq unique (workspace_id, name),
      constraint connections_workspace_fk foreign key (workspace_id) references workspaces (id),
      constraint connections_status_ck check (status in ('pending', 'active', 'expired')),
      constraint connections_authorized_ck check ((status = 'pending') = (authorized_at is null))
    )`);
    await queryRunner.query('create index connections_list_ix on connections (workspace_id, id)');
    await queryRunner.query('alter table knowledge_authorizations alter column knowledge_base_id drop not null');
    await queryRunner.query('alter table knowledge_authorizations add column connection_id text collate "C"');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('delete from knowledge_authorizations where connection_id is not null');
    await queryRunner.query('alter table knowledge_authorizations drop column connection_id');
    await queryRunner.query('alter table knowledge_authorizations alter column knowledge_base_id set not null');
    await queryRunner.query('drop table connections');
  }
}
