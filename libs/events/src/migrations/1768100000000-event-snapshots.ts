import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A message keeps a snapshot of what its event is about. `body` remains for messages that the previous release rendered. */
export class EventSnapshots1768100000000 implements MigrationInterface {
  readonly name = 'EventSnapshots1768100000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table webhook_messages
      add column snapshot json, add column occurred_at timestamptz(3), alter column body drop not null`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`delete from webhook_messages where body is null`);
    await queryRunner.query(`alter table webhook_messages
      drop column snapshot, drop column occurred_at, alter column body set not null`);
  }
}
