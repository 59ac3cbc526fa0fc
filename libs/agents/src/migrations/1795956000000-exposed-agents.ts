import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Processes of the previous release accept no definition with such a tool, so they need not write it. */
export class ExposedAgents1795956000000 implements MigrationInterface {
  readonly name = 'ExposedAgents1795956000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table agents add mcp_tool text collate "C"');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table agents drop mcp_tool');
  }
}
