import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the members with an address in all workspaces, for sign-in. */
export class MembersByEmail1795484384471 implements MigrationInterface {
  readonly name = 'MembersByEmail1795484384471';
  /** The index is built while the table is in use. */
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    // An interrupted build leaves an index that is not valid.
    await queryRunner.query('drop index concurrently if exists members_person_ix');
    await queryRunner.query('create index concurrently members_person_ix on members (email)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index members_person_ix');
  }
}
