import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installTenantPolicies } from '@app/platform/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const LIST_RUN = join(import.meta.dirname, '../sql/list_run.sql');
/** Copies the runs of earlier releases, with 10 000 runs per transaction. */
const COPY = `do $copy$
declare
  v_ids text[];
  v_last text := '';
begin
  loop
    select array_agg(x.id) into v_ids from (select r.id from runs r where r.id > v_last order by r.id limit 10000) x;
    exit when v_ids is null;
    insert into listed_runs (workspace_id, id, agent_id, version, mode, trigger_type, initiator)
      select r.workspace_id, r.id, r.agent_id, r.version, r.mode, r.trigger ->> 'type', r.initiator from runs r where r.id = any (v_ids)
      on conflict do nothing;
    v_last := v_ids[cardinality(v_ids)];
    commit;
  end loop;
end $copy$`;

/**
 * An index of `runs` costs an entry for each change of status, but an index of `listed_runs` only one entry for each
 * run. It is created before the earlier runs are copied, so that no run is missed.
 */
export class ListedRuns1795489000000 implements MigrationInterface {
  readonly name = 'ListedRuns1795489000000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('set statement_timeout = 0');
    await queryRunner.query(`create table if not exists listed_runs (
      workspace_id text collate "C" not null,
      id text collate "C" not null,
      agent_id text collate "C" not null,
      version integer not null,
      mode text not null,
      trigger_type text not null,
      initiator text,
      mcp_client text,
      constraint listed_runs_pk primary key (workspace_id, id)
    )`);
    await queryRunner.query('create index if not exists listed_runs_agent_ix on listed_runs (agent_id, id)');
    await queryRunner.query('create index if not exists listed_runs_version_ix on listed_runs (agent_id, version, id)');
    await queryRunner.query(
      'create index if not exists listed_runs_initiator_ix on listed_runs (workspace_id, initiator, id) where initiator is not null',
    );
    await queryRunner.query(
      `create index if not exists listed_runs_test_mode_ix on listed_runs (workspace_id, id) where mode = 'test'`,
    );
    await queryRunner.query(
      `create index if not exists listed_runs_trigger_ix on listed_runs (workspace_id, trigger_type, id) where trigger_type <> 'api'`,
    );
    // The tenant role needs access to the table, because its statements fire the trigger.
    await installTenantPolicies(queryRunner);
    await queryRunner.query(await readFile(LIST_RUN, 'utf8'));
    await queryRunner.query(COPY);
    await queryRunner.query('drop index concurrently if exists runs_open_limited_ix');
    await queryRunner.query(
      `create index concurrently runs_open_limited_ix on runs (agent_id)
        where ended_at is null and (concurrency_max is not null or concurrency_max_per_key is not null)`,
    );
    await queryRunner.query('drop index concurrently if exists runs_list_ix');
    await queryRunner.query('drop index concurrently if exists runs_agent_ix');
    await queryRunner.query('drop index concurrently if exists runs_test_mode_ix');
    await queryRunner.query('drop index concurrently if exists runs_trigger_ix');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('create index runs_list_ix on runs (workspace_id, id)');
    await queryRunner.query('create index runs_agent_ix on runs (agent_id, id)');
    await queryRunner.query(`create index runs_test_mode_ix on runs (workspace_id, id) where mode = 'test'`);
    await queryRunner.query(
      `create index runs_trigger_ix on runs (workspace_id, (trigger ->> 'type'), id) where trigger ->> 'type' <> 'api'`,
    );
    await queryRunner.query('drop index if exists runs_open_limited_ix');
    await queryRunner.query('drop trigger if exists runs_list_created on runs');
    await queryRunner.query('drop trigger if exists runs_unlist on runs');
    await queryRunner.query('drop table listed_runs');
  }
}
