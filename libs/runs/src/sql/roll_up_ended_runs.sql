-- Adds up to p_limit ended runs to run_statistics and returns their number. The same commit deletes them from
-- ended_runs, so each run counts exactly once, even after a crash. Only one worker does this at a time. If another
-- worker is doing it, the function returns 0. Each run counts in the sums of all runs, `group_by` status or agent, and in
-- those of its mode, for example status/test.
create or replace function run_machine.roll_up_ended_runs(p_limit integer) returns integer
language plpgsql volatile as $$
declare
  v_taken integer;
begin
  perform from ended_runs limit 1;
  if not found or not pg_try_advisory_xact_lock(hashtextextended('run_machine.roll_up_ended_runs', 0)) then
    return 0;
  end if;
  with taken as (
    delete from ended_runs e where e.ctid = any (array(select x.ctid from ended_runs x limit p_limit)) returning e.*
  ), slots as (
    select e.workspace_id, b.bucket, g.group_by, date_trunc(b.unit, e.ended_at, 'UTC') as start_at, g.group_key, e.currency,
      run_machine.duration_slot(e.active_ms) as slot, count(*) as runs, sum(e.cost_micros) as cost_micros,
      count(*) filter (where e.status = 'failed') as failed
      from taken e
      cross join (values ('1h', 'hour'), ('1d', 'day')) b (bucket, unit)
      cross join lateral (values ('status', e.status), ('agent', e.agent_id),
        ('status/' || e.mode, e.status), ('agent/' || e.mode, e.agent_id)) g (group_by, group_key)
     where g.group_by is not null
     group by 1, 2, 3, 4, 5, 6, 7
  ), sums as (
    select x.workspace_id, x.bucket, x.group_by, x.start_at, x.group_key, x.currency, sum(x.runs) as runs,
      sum(x.cost_micros) as cost_micros, json_object_agg(x.slot, x.runs)::jsonb as durations,
      sum(x.failed) as failed
      from slots x group by 1, 2, 3, 4, 5, 6
  ), stored as (
    insert into run_statistics as s
        (workspace_id, bucket, group_by, start_at, group_key, currency, runs, cost_micros, durations, failed)
      select * from sums
      on conflict on constraint run_statistics_pk do update
        set runs = s.runs + excluded.runs, cost_micros = s.cost_micros + excluded.cost_micros,
            failed = s.failed + excluded.failed,
            durations = run_machine.add_durations(s.durations, excluded.durations)
  )
  select count(*) into v_taken from taken;
  return v_taken;
end $$;

-- Deletes up to p_limit rows of run_statistics with the bucket size p_bucket (`1h` or `1d`) whose bucket began more
-- than p_days ago. Returns the number of deleted rows.
create or replace function run_machine.purge_statistics(p_bucket text, p_days integer, p_limit integer) returns integer
language plpgsql volatile as $$
declare
  v_purged integer;
begin
  delete from run_statistics s where s.ctid = any (array(
    select x.ctid from run_statistics x
     where x.bucket = p_bucket and x.start_at < statement_timestamp() - p_days * interval '1 day' limit p_limit
     for update skip locked));
  get diagnostics v_purged = row_count;
  return v_purged;
end $$;
