-- Ends a run. One commit contains its last results, the last notes of its trace (p_notes) and its `run.completed`
-- event.
-- verdict: ok         also if an earlier call with the same p_op ended the run and its response was lost
--          cancelled  the run was cancelled
--          fenced     the run no longer belongs to the caller
create or replace function run_machine.finish(
  p_run text, p_attempt integer, p_op uuid, p_results jsonb, p_notes jsonb, p_status text, p_output jsonb, p_error jsonb
) returns table (verdict text)
language plpgsql volatile as $$
declare
  v runs%rowtype;
begin
  select * into v from runs r where r.id = p_run for no key update;
  if p_results is not null then perform run_machine.record_results(p_run, p_attempt, p_results); end if;
  if v.status = 'running' and v.attempt = p_attempt then
    perform run_machine.end_run(v, p_op, p_notes, p_status, p_output, p_error);
    return query select 'ok';
  else
    return query select case when v.last_op = p_op then 'ok' when v.status = 'cancelled' then 'cancelled' else 'fenced' end;
  end if;
end $$;

-- Executes several calls of finish in one commit (see try_lock_run.sql).
create or replace function run_machine.finish_batch(
  p_runs text[], p_attempts integer[], p_ops uuid[], p_results jsonb[], p_notes jsonb[], p_statuses text[], p_outputs jsonb[], p_errors jsonb[]
) returns table (call integer, verdict text)
language plpgsql volatile
set lock_timeout = '50ms' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_locked text[] := run_machine.try_lock_runs(p_runs);
  v_plain integer[] := array(
    select c.position from unnest(p_runs, p_attempts, p_results, p_statuses) with ordinality as c(run, attempt, results, status, position)
      join runs r on r.id = c.run
     where c.run = any (v_locked) and r.status = 'running' and r.attempt = c.attempt and c.status <> 'handed_off'
       and r.concurrency_max is null and r.concurrency_max_per_key is null
       and run_machine.are_plain_results(c.results)
       and not exists (select from approvals a where a.run_id = r.id and a.status = 'open')
       and not exists (select from child_runs k where k.run_id = r.id and k.state = 'open')
       and cardinality(array_positions(p_runs, c.run)) = 1);
begin
  if v_plain <> '{}' then
    perform run_machine.end_plain_runs(
      array_agg(p_runs[i] order by i), array_agg(p_attempts[i] order by i), array_agg(p_ops[i] order by i), array_agg(p_results[i] order by i),
      array_agg(p_notes[i] order by i), array_agg(p_statuses[i] order by i), array_agg(p_outputs[i] order by i), array_agg(p_errors[i] order by i))
      from unnest(v_plain) i;
    return query select i, 'ok' from unnest(v_plain) i;
  end if;
  for i in 1 .. cardinality(p_runs) loop
    continue when i = any (v_plain) or p_runs[i] <> all (v_locked);
    return query select i, f.verdict from run_machine.finish(p_runs[i], p_attempts[i], p_ops[i], p_results[i], p_notes[i], p_statuses[i],
      p_outputs[i], p_errors[i]) f;
  end loop;
end $$;
