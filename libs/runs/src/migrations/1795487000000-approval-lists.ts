import type { MigrationInterface, QueryRunner } from 'typeorm';

/** They are written only when an approval is opened or closed. */
export class ApprovalLists1795487000000 implements MigrationInterface {
  readonly name = 'ApprovalLists1795487000000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('set statement_timeout = 0');
    await queryRunner.query('drop index concurrently if exists approvals_agent_ix');
    await queryRunner.query('create index concurrently approvals_agent_ix on approvals (agent_id, id)');
    await queryRunner.query('drop index concurrently if exists approvals_deadline_ix');
    await queryRunner.query(
      'create index concurrently approvals_deadline_ix on approvals (workspace_id, expires_at, id)',
    );
    await queryRunner.query('drop index concurrently if exists approvals_inbox_deadline_ix');
    await queryRunner.query(
      'create index concurrently approvals_inbox_deadline_ix on approvals (workspace_id, status, expires_at, id)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index approvals_agent_ix');
    await queryRunner.query('drop index approvals_deadline_ix');
    await queryRunner.query('drop index approvals_inbox_deadline_ix');
  }
}
