import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const LIST_RUN = join(import.meta.dirname, '../sql/list_run.sql');

/**
 * The label `mcp_client`, which a run has in addition to the labels of its version. The index contains only runs with
 * this label. The trigger fills the column before earlier runs are copied, so that no run is missed.
 */
export class RunsOfClients1796000500000 implements MigrationInterface {
  readonly name = 'RunsOfClients1796000500000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('set statement_timeout = 0');
    await queryRunner.query('alter table listed_runs add column if not exists mcp_client text');
    await queryRunner.query(await readFile(LIST_RUN, 'utf8'));
    await queryRunner.query(
      `update listed_runs l set mcp_client = r.labels ->> 'mcp_client' from runs r
        where r.labels ? 'mcp_client' and l.workspace_id = r.workspace_id and l.id = r.id and l.mcp_client is null`,
    );
    await queryRunner.query('drop index concurrently if exists listed_runs_client_ix');
    await queryRunner.query(
      'create index concurrently listed_runs_client_ix on listed_runs (workspace_id, mcp_client, id) where mcp_client is not null',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index listed_runs_client_ix');
    await queryRunner.query('alter table listed_runs drop mcp_client');
  }
}
