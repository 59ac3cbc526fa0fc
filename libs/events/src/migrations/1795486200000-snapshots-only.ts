import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Updates the tables of a development version to the baseline: messages are stored as snapshots, and claims as rows of
 * webhook_claims. Deletes messages that were stored as text, with their deliveries. Changes nothing in a new database.
 * The dropped columns were in no release, so no process of a previous release needs them.
 */
export class SnapshotsOnly1795486200000 implements MigrationInterface {
  readonly name = 'SnapshotsOnly1795486200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table webhook_messages
      add column if not exists snapshot json, add column if not exists occurred_at timestamptz(3),
      drop column if exists body`);
    await queryRunner.query('delete from webhook_messages where occurred_at is null');
    await queryRunner.query('alter table webhook_messages alter column occurred_at set not null');
    // Also drops the index and the check constraint of the column.
    await queryRunner.query('alter table webhook_deliveries drop column if exists claimed_by');
    await queryRunner.query(
      'drop function if exists events.claim_due_deliveries(text, integer, integer, integer, integer)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'alter table webhook_messages add column body text, alter column occurred_at drop not null',
    );
    await queryRunner.query(`alter table webhook_deliveries add column claimed_by text,
      add constraint webhook_deliveries_claim_ck check (claimed_by is null or status = 'pending')`);
    await queryRunner.query(
      'create index webhook_deliveries_claimed_ix on webhook_deliveries (endpoint_id) where claimed_by is not null',
    );
  }
}
