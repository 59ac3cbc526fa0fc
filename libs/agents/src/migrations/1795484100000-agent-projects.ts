import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Processes of the previous release do not use these columns. */
export class AgentProjects1795484100000 implements MigrationInterface {
  readonly name = 'AgentProjects1795484100000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table agents add project text');
    await queryRunner.query('alter table agent_versions add project text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table agent_versions drop project');
    await queryRunner.query('alter table agents drop project');
  }
}
