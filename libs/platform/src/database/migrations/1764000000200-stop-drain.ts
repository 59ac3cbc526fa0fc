import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Until when calls under way may end in a stopped workspace, and how often the request of an approval was edited. */
export class StopDrain1764000000200 implements MigrationInterface {
  readonly name = 'StopDrain1764000000200';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table workspaces add drain_until timestamptz`);
    await queryRunner.query(`alter table approvals add request_revision integer not null default 1`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table approvals drop request_revision`);
    await queryRunner.query(`alter table workspaces drop drain_until`);
  }
}
