import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What senders have claimed, beside the deliveries: a claim in a column of theirs is an entry in each of their five indexes, and
 * as many when it ends. The column of old stays for what senders of the release before have claimed when this is made.
 */
export class WebhookClaims1766300000000 implements MigrationInterface {
  readonly name = 'WebhookClaims1766300000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Rows live for a few milliseconds and lose a member now and then: room for that on their page.
    await queryRunner.query(`create table webhook_claims (
      endpoint_id text collate "C" not null,
      sender text not null,
      until timestamptz not null,
      workspace_id text collate "C" not null,
      deliveries text[] not null,
      constraint webhook_claims_pk primary key (endpoint_id, sender, until)
    ) with (fillfactor = 50)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table webhook_claims`);
  }
}
