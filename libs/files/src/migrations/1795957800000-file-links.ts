import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Processes of the previous release know none. */
export class FileLinks1795957800000 implements MigrationInterface {
  readonly name = 'FileLinks1795957800000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table file_links (
      -- SHA-256 of the token. The token itself is not stored.
      token_hash bytea not null,
      workspace_id text collate "C" not null,
      file_id text collate "C" not null,
      -- The first download deletes the link.
      once boolean not null,
      expires_at timestamptz(3) not null,
      constraint file_links_pk primary key (token_hash)
    )`);
    await queryRunner.query('create index file_links_file_ix on file_links (workspace_id, file_id)');
    await queryRunner.query('create index file_links_expired_ix on file_links (expires_at)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table file_links');
  }
}
