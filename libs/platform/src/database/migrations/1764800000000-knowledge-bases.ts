import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Knowledge bases and who may read them. */
export class KnowledgeBases1764800000000 implements MigrationInterface {
  readonly name = 'KnowledgeBases1764800000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await queryRunner.query(statement);
  }
}

const UP = [
  `create table knowledge_bases (
    id text collate "C" not null,
    workspace_id text collate "C" not null,
    name text not null,
    description text not null default '',
    region text not null,
    settings jsonb not null,
    document_count integer not null default 0,
    chunk_count integer not null default 0,
    access_version integer not null default 1,
    last_synced_at timestamptz(3),
    created_by text not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    updated_at timestamptz(3) not null default clock_timestamp(),
    deleted_at timestamptz(3),
    constraint knowledge_bases_pk primary key (id),
    constraint knowledge_bases_scope_uq unique (workspace_id, id),
    constraint knowledge_bases_workspace_fk foreign key (workspace_id) references workspaces (id),
    constraint knowledge_bases_counts_ck check (document_count >= 0 and chunk_count >= 0)
  )`,
  `create unique index knowledge_bases_name_uq on knowledge_bases (workspace_id, name) where deleted_at is null`,
  `create table knowledge_grants (
    workspace_id text collate "C" not null,
    knowledge_base_id text collate "C" not null,
    type text collate "C" not null,
    principal text collate "C" not null,
    granted_by text not null,
    granted_at timestamptz(3) not null default clock_timestamp(),
    constraint knowledge_grants_pk primary key (workspace_id, knowledge_base_id, type, principal),
    constraint knowledge_grants_base_fk foreign key (workspace_id, knowledge_base_id)
      references knowledge_bases (workspace_id, id) on delete cascade,
    constraint knowledge_grants_type_ck check (type in ('user', 'group', 'channel', 'agent'))
  )`,
  `create index knowledge_grants_principal_ix on knowledge_grants (workspace_id, type, principal)`,
];

const DOWN = [`drop table knowledge_grants`, `drop table knowledge_bases`];
