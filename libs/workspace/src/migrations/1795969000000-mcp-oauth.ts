import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = [
  // A client of the MCP server that an admin registered, or that registered itself (without a workspace).
  `create table mcp_clients (
    id text collate "C" not null,
    workspace_id text collate "C",
    name text not null,
    redirect_uris text[] not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    constraint mcp_clients_pk primary key (id)
  )`,
  'create index mcp_clients_list_ix on mcp_clients (workspace_id, id)',
  // A request of a client for access, until a person has decided it. It has no workspace until a session reads it.
  `create table mcp_requests (
    id text collate "C" not null,
    workspace_id text collate "C",
    member_id text collate "C",
    session_id text collate "C",
    sealed bytea not null,
    expires_at timestamptz(3) not null,
    constraint mcp_requests_pk primary key (id)
  )`,
  'create index mcp_requests_expiry_ix on mcp_requests (expires_at)',
  // The grants, codes and tokens of keys of kind mcp.
  `create table mcp_tokens (
    id text collate "C" not null,
    kind text not null,
    workspace_id text collate "C" not null,
    key_id text collate "C" not null,
    client_id text not null,
    resource text,
    sealed bytea not null,
    expires_at timestamptz(3) not null,
    consumed_at timestamptz(3),
    constraint mcp_tokens_pk primary key (id),
    constraint mcp_tokens_kind_ck check (kind in ('Grant', 'AuthorizationCode', 'AccessToken', 'RefreshToken')),
    constraint mcp_tokens_key_fk foreign key (key_id) references api_keys (id) on delete cascade
  )`,
  'create index mcp_tokens_key_ix on mcp_tokens (key_id)',
  'create index mcp_tokens_client_ix on mcp_tokens (client_id)',
  'create index mcp_tokens_expiry_ix on mcp_tokens (expires_at)',
  'alter table api_keys drop constraint api_keys_kind_ck',
  `alter table api_keys add constraint api_keys_kind_ck check (kind in ('live', 'test', 'mcp')) not valid`,
  'alter table api_keys validate constraint api_keys_kind_ck',
];

export class McpOauth1795969000000 implements MigrationInterface {
  readonly name = 'McpOauth1795969000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of TABLES) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table mcp_tokens, mcp_requests, mcp_clients');
    await queryRunner.query(`delete from api_keys where kind = 'mcp'`);
    await queryRunner.query('alter table api_keys drop constraint api_keys_kind_ck');
    await queryRunner.query(`alter table api_keys add constraint api_keys_kind_ck check (kind in ('live', 'test'))`);
  }
}
