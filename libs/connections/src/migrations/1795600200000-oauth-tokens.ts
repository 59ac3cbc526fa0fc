import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tokens of connections and of the client credentials of tools. `key` names the owner of the tokens. A process
 * leases the row until `leased_until` to renew the tokens; each renewal raises `revision`. Processes of the previous
 * release do not use the table.
 */
export class OauthTokens1795600200000 implements MigrationInterface {
  readonly name = 'OauthTokens1795600200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table oauth_tokens (
      workspace_id text collate "C" not null,
      key text collate "C" not null,
      tokens bytea,
      revision integer not null default 0,
      renew_at timestamptz(3),
      expires_at timestamptz(3),
      leased_until timestamptz(3),
      updated_at timestamptz(3) not null default clock_timestamp(),
      constraint oauth_tokens_pk primary key (workspace_id, key)
    )`);
    await queryRunner.query('create index oauth_tokens_updated_ix on oauth_tokens (updated_at)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table oauth_tokens');
  }
}
