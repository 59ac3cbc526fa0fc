import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `key` names the owner of the tokens. A process leases the row until `leased_until` to renew the tokens; each renewal
 * raises `revision`.
 */
export class OauthTokens1795600200000 implements MigrationInterface {
  readonly name = 'OauthTokens1795600200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table oauth_tokens (
      workspace_id text collate "C" not null,
      -- The owner of the tokens: the id of a connection, or client_credentials/<hash>.
      key text collate "C" not null,
      -- {access, refresh} as JSON, sealed for this row. Null until a process has received the first tokens.
      tokens bytea,
      -- Increases with each renewal. A caller whose token was rejected names the token by its revision.
      revision integer not null default 0,
      -- Null if the provider did not report a lifetime.
      renew_at timestamptz(3),
      expires_at timestamptz(3),
      -- End of the lease of the process that renews the tokens. Afterwards another process can renew them.
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
