import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keys and secrets from before the last rotation but one, each until the time that it was promised; the one before the current one
 * stays beside it in the row of its owner. A process of the release before knows two of each and goes on so: it neither adds
 * nor ends any here.
 */
export class FormerSecrets1766700000000 implements MigrationInterface {
  readonly name = 'FormerSecrets1766700000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // No foreign key to the owner, which is an API key, an agent or a webhook endpoint: what removes one removes its rows here.
    await queryRunner.query(`create table former_secrets (
      owner_id text collate "C" not null,
      n integer not null,
      workspace_id text collate "C" not null,
      hash bytea,
      sealed bytea,
      expires_at timestamptz(3) not null,
      constraint former_secrets_pk primary key (owner_id, n),
      constraint former_secrets_kept_ck check (hash is not null or sealed is not null),
      constraint former_secrets_workspace_fk foreign key (workspace_id) references workspaces (id)
    )`);
    await queryRunner.query(`create index former_secrets_hash_ix on former_secrets (hash)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table former_secrets`);
  }
}
