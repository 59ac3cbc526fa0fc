import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AgentsOfProject1795484100001 implements MigrationInterface {
  readonly name = 'AgentsOfProject1795484100001';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index concurrently if exists agents_project_ix');
    await queryRunner.query(
      'create index concurrently agents_project_ix on agents (workspace_id, project, id) where project is not null',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index agents_project_ix');
  }
}
