import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ToolsOfWorkspace1795956000001 implements MigrationInterface {
  readonly name = 'ToolsOfWorkspace1795956000001';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index concurrently if exists agents_mcp_tool_uq');
    await queryRunner.query(
      `create unique index concurrently agents_mcp_tool_uq on agents (workspace_id, mcp_tool)
        where mcp_tool is not null and status <> 'archived'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index agents_mcp_tool_uq');
  }
}
