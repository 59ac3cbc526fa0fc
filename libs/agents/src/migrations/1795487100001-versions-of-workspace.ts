import type { MigrationInterface, QueryRunner } from 'typeorm';

export class VersionsOfWorkspace1795487100001 implements MigrationInterface {
  readonly name = 'VersionsOfWorkspace1795487100001';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('set statement_timeout = 0');
    await queryRunner.query('drop index concurrently if exists agent_versions_workspace_ix');
    await queryRunner.query(
      'create index concurrently agent_versions_workspace_ix on agent_versions (workspace_id, version)',
    );
    await queryRunner.query('drop index concurrently if exists agent_versions_labels_ix');
    await queryRunner.query(
      `create index concurrently agent_versions_labels_ix on agent_versions using gin ((definition -> 'labels') jsonb_path_ops)`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index agent_versions_workspace_ix');
    await queryRunner.query('drop index agent_versions_labels_ix');
  }
}
