import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What openapi and mcp tools of a version say about themselves, taken down once. */
export class DescribedTools1764200000100 implements MigrationInterface {
  readonly name = 'DescribedTools1764200000100';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table agent_version_tools (
      agent_id text collate "C" not null,
      version integer not null,
      tool text not null,
      workspace_id text collate "C" not null,
      description jsonb not null,
      described_at timestamptz(3) not null default clock_timestamp(),
      constraint agent_version_tools_pk primary key (agent_id, version, tool),
      constraint agent_version_tools_version_fk foreign key (agent_id, version) references agent_versions (agent_id, version)
    )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table agent_version_tools');
  }
}
