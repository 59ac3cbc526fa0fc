import type { MigrationInterface, QueryRunner } from 'typeorm';

export class FailedDeliveries1796001700000 implements MigrationInterface {
  readonly name = 'FailedDeliveries1796001700000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('set statement_timeout = 0');
    await queryRunner.query('drop index concurrently if exists webhook_deliveries_failed_ix');
    await queryRunner.query(
      `create index concurrently webhook_deliveries_failed_ix on webhook_deliveries (endpoint_id, id) where status = 'failed'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index webhook_deliveries_failed_ix');
  }
}
