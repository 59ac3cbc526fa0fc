import type { MigrationInterface, QueryRunner } from 'typeorm';

export class MemberSignIns1796610000000 implements MigrationInterface {
  readonly name = 'MemberSignIns1796610000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table members add column last_signed_in_at timestamptz(3)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table members drop column last_signed_in_at');
  }
}
