import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Processes of the previous release show a question as an approval, and cannot answer it. */
export class Questions1795600600000 implements MigrationInterface {
  readonly name = 'Questions1795600600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table approvals add title text, add form jsonb, add answer jsonb');
    await queryRunner.query(`alter table approvals drop constraint approvals_kind_ck,
      add constraint approvals_kind_ck check (kind in ('tool_call', 'step', 'in_doubt', 'question')) not valid`);
    await queryRunner.query(`alter table approvals drop constraint approvals_status_ck, add constraint approvals_status_ck
      check (status in ('open', 'approved', 'rejected', 'answered', 'expired', 'cancelled')) not valid`);
    await queryRunner.query(`alter table approvals drop constraint approvals_on_timeout_ck, add constraint
      approvals_on_timeout_ck check (on_timeout in ('reject', 'fail', 'hand_off', 'continue')) not valid`);
    for (const statement of VALIDATIONS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table approvals drop constraint approvals_kind_ck,
      add constraint approvals_kind_ck check (kind in ('tool_call', 'step', 'in_doubt')),
      drop constraint approvals_status_ck, add constraint approvals_status_ck
      check (status in ('open', 'approved', 'rejected', 'expired', 'cancelled')),
      drop constraint approvals_on_timeout_ck, add constraint
      approvals_on_timeout_ck check (on_timeout in ('reject', 'fail', 'hand_off'))`);
    await queryRunner.query('alter table approvals drop title, drop form, drop answer');
  }
}

const VALIDATIONS = [
  'alter table approvals validate constraint approvals_kind_ck',
  'alter table approvals validate constraint approvals_status_ck',
  'alter table approvals validate constraint approvals_on_timeout_ck',
] as const;
