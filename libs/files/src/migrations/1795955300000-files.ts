import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `file_usage` counts the files whose status is `ready`; it is changed in the transaction that changes the status, so
 * uploads at the same time never exceed the quota together.
 */
export class Files1795955300000 implements MigrationInterface {
  readonly name = 'Files1795955300000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table files (
      id text collate "C" not null,
      workspace_id text collate "C" not null,
      filename text not null,
      content_type text not null,
      declared_content_type text,
      bytes bigint not null,
      sha256 text collate "C" not null,
      status text not null default 'ready',
      source text not null,
      -- The random key of the bytes, sealed for this row. Null from the deletion on.
      key bytea,
      expires_at timestamptz(3),
      created_at timestamptz(3) not null default clock_timestamp(),
      created_by text,
      deleted_at timestamptz(3),
      constraint files_pk primary key (id),
      constraint files_workspace_fk foreign key (workspace_id) references workspaces (id),
      constraint files_status_ck check (status in ('ready', 'deleted')),
      constraint files_key_ck check ((status = 'ready') = (key is not null) and (status = 'deleted') = (deleted_at is not null))
    )`);
    await queryRunner.query('create index files_list_ix on files (workspace_id, id)');
    await queryRunner.query(`create index files_expired_ix on files (expires_at) where status = 'ready'`);
    await queryRunner.query(`create index files_deleted_ix on files (deleted_at) where status = 'deleted'`);
    await queryRunner.query(`create table file_usage (
      workspace_id text collate "C" not null,
      files bigint not null,
      bytes bigint not null,
      constraint file_usage_pk primary key (workspace_id),
      constraint file_usage_workspace_fk foreign key (workspace_id) references workspaces (id),
      constraint file_usage_sums_ck check (files >= 0 and bytes >= 0)
    ) with (fillfactor = 50)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table file_usage, files');
  }
}
