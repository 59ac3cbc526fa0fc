import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a crawl has to know of pages that say that they have not changed, and syncs that have to be followed by another. */
export class PageLinks1764900000100 implements MigrationInterface {
  readonly name = 'PageLinks1764900000100';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table knowledge_page_links (
      source_id text collate "C" not null,
      url text collate "C" not null,
      workspace_id text collate "C" not null,
      links text[] not null,
      constraint knowledge_page_links_pk primary key (source_id, url),
      constraint knowledge_page_links_source_fk foreign key (workspace_id, source_id)
        references knowledge_sources (workspace_id, id)
    )`);
    await queryRunner.query('alter table knowledge_syncs add follow_up boolean not null default false');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table knowledge_syncs drop follow_up');
    await queryRunner.query('drop table knowledge_page_links');
  }
}
