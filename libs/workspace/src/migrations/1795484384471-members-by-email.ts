import type { MigrationInterface, QueryRunner } from 'typeorm';

export class MembersByEmail1795484384471 implements MigrationInterface {
  readonly name = 'MembersByEmail1795484384471';
  /** That is not possible in a transaction. */
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    // Removes the invalid index that an interrupted build leaves.
    await queryRunner.query('drop index concurrently if exists members_person_ix');
    await queryRunner.query('create index concurrently members_person_ix on members (email)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index members_person_ix');
  }
}
