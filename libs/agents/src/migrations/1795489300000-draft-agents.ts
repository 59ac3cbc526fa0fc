import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Processes of the previous release treat such an agent as archived. */
export class DraftAgents1795489300000 implements MigrationInterface {
  readonly name = 'DraftAgents1795489300000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table agents add draft_until timestamptz');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table agents drop draft_until');
  }
}
