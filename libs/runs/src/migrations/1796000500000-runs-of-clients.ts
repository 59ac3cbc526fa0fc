import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const LIST_RUN = join(import.meta.dirname, '../sql/list_run.sql');
/** Copies the labels of earlier runs, with 10 000 runs per transaction. */
const COPY = `do $copy$
declare
  v_ids text[];
  v_last text := '';
begin
  loop
    select array_agg(x.id) into v_ids from (select r.id from runs r where r.id > v_last order by r.id limit 10000) x;
    exit when v_ids is null;
    update listed_runs l set mcp_client = r.labels ->> 'mcp_client' from runs r
      where r.id = any (v_ids) and r.labels ? 'mcp_client' and l.workspace_id = r.workspace_id and l.id = r.id;
    v_last := v_ids[cardinality(v_ids)];
    commit;
  end loop;
end $copy$`;

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
    await queryRunner.query(COPY);
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
