import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sources that people authorise at a provider: authorisations under way, and the tokens that came of them. */
export class SourceAuthorizations1766100000000 implements MigrationInterface {
  readonly name = 'SourceAuthorizations1766100000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `create table knowledge_authorizations (
        state_hash text collate "C" not null,
        workspace_id text collate "C" not null,
        knowledge_base_id text collate "C" not null,
        source_id text collate "C",
        connector text collate "C" not null,
        settings jsonb not null,
        verifier bytea not null,
        requested_by text not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        expires_at timestamptz(3) not null,
        constraint knowledge_authorizations_pk primary key (state_hash),
        constraint knowledge_authorizations_base_fk foreign key (workspace_id, knowledge_base_id)
          references knowledge_bases (workspace_id, id)
      )`,
    );
    await queryRunner.query(
      `create index knowledge_authorizations_base_ix on knowledge_authorizations (workspace_id, knowledge_base_id)`,
    );
    await queryRunner.query(
      `create index knowledge_authorizations_expired_ix on knowledge_authorizations (expires_at)`,
    );
    await queryRunner.query(
      `create table knowledge_source_tokens (
        source_id text collate "C" not null,
        workspace_id text collate "C" not null,
        tokens bytea not null,
        expires_at timestamptz(3),
        updated_at timestamptz(3) not null default clock_timestamp(),
        constraint knowledge_source_tokens_pk primary key (source_id),
        constraint knowledge_source_tokens_source_fk foreign key (workspace_id, source_id)
          references knowledge_sources (workspace_id, id)
      )`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table knowledge_source_tokens, knowledge_authorizations`);
  }
}
