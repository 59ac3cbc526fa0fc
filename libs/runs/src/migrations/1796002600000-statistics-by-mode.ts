import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `run_statistics` gets further sums for each mode, whose `group_by` is for example `status/production`. Those of the
 * runs that ended before are counted here, as far as the runs still exist. Rows of `ended_runs` without a mode are of
 * these runs, or of runs that end during the migration; they count in no sum of a mode.
 */
export class StatisticsByMode1796002600000 implements MigrationInterface {
  readonly name = 'StatisticsByMode1796002600000';

  /** Otherwise no run could end while the sums are counted. */
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('set statement_timeout = 0');
    // The functions of the lib are installed after its migrations.
    await queryRunner.query(await readFile(join(import.meta.dirname, '../sql/duration_slots.sql'), 'utf8'));
    await queryRunner.query('alter table ended_runs add column if not exists mode text');
    await queryRunner.query('alter table run_statistics drop constraint if exists run_statistics_group_ck');
    await queryRunner.query(`alter table run_statistics add constraint run_statistics_group_ck
      check (split_part(group_by, '/', 1) in ('status', 'agent')) not valid`);
    await queryRunner.query(`
      insert into run_statistics (workspace_id, bucket, group_by, start_at, group_key, currency, runs, cost_micros, durations, failed)
      select x.workspace_id, x.bucket, x.group_by, x.start_at, x.group_key, x.currency, sum(x.runs), sum(x.cost_micros),
          json_object_agg(x.slot, x.runs)::jsonb, sum(x.failed)
        from (select r.workspace_id, b.bucket, g.kind || '/' || r.mode as group_by,
              date_trunc(b.unit, r.ended_at, 'UTC') as start_at, g.group_key, r.currency,
              run_machine.duration_slot(r.active_ms) as slot, count(*) as runs, sum(r.cost_micros) as cost_micros,
              count(*) filter (where r.status = 'failed') as failed
            from runs r
            cross join (values ('1h', 'hour'), ('1d', 'day')) b (bucket, unit)
            cross join lateral (values ('status', r.status), ('agent', r.agent_id)) g (kind, group_key)
           where r.ended_at is not null
           group by 1, 2, 3, 4, 5, 6, 7) x
       group by 1, 2, 3, 4, 5, 6
       on conflict on constraint run_statistics_pk do nothing`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`delete from run_statistics where group_by like '%/%'`);
    await queryRunner.query('alter table ended_runs drop mode');
  }
}
