import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One row: the storage of files that belongs to this database. The first api inserts it. Processes of the previous
 * release ignore it.
 */
export class FileStorage1795962600000 implements MigrationInterface {
  readonly name = 'FileStorage1795962600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table file_storage (
      is_single boolean not null default true,
      -- The content of the marker in the storage.
      installation_id text collate "C" not null default gen_random_uuid()::text,
      -- Null until an api has written the marker.
      marked_at timestamptz(3),
      -- The last time at which a worker did not see the marker.
      unseen_at timestamptz(3),
      -- The sweep keeps bytes that are older, because a former database may have their rows.
      spared_before timestamptz(3),
      constraint file_storage_pk primary key (is_single),
      constraint file_storage_single_ck check (is_single)
    )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table file_storage');
  }
}
