-- Ends a run. One commit contains its last results, the last notes of its trace and its `run.completed` event.
--
-- p_call     {run, attempt, op, results, notes, files, status, output, error}
--   attempt    fencing token of the caller
--   op         UUID of the operation
--   results    see record_results; null if there are none
--   notes      see record_notes; null if there are none
--   files      the files to which these values refer (see files.refer); null if there are none
--   output     any JSON value. If the member is missing, the run has no output. The output null is a different value.
--   error      {code, message, ...}; null unless the run failed
--
-- verdict: ok         also if an earlier call with the same `op` ended the run and its response was lost
--          cancelled  the run was cancelled
--          fenced     the run no longer belongs to the caller
create or replace function run_machine.finish(p_call jsonb)
returns table (verdict text)
language plpgsql volatile as $$
declare
  c record;
  v runs%rowtype;
begin
  select * into c from jsonb_to_record(p_call) as x(run text, attempt integer, op uuid, results jsonb, notes jsonb, files jsonb, status text,
    error jsonb);
  select * into v from runs r where r.id = c.run for no key update;
  if c.results is not null then perform run_machine.record_results(c.run, c.attempt, c.results); end if;
  perform run_machine.refer_to_files(v, c.files);
  if v.status = 'running' and v.attempt = c.attempt then
    perform run_machine.end_run(v, c.op, c.notes, c.status, p_call -> 'output', c.error);
    return query select 'ok';
  else
    return query select case when v.last_op = c.op then 'ok' when v.status = 'cancelled' then 'cancelled' else 'fenced' end;
  end if;
end $$;

-- Executes several calls of finish in one commit (see try_lock_run.sql).
create or replace function run_machine.finish_batch(p_calls jsonb) returns table (call integer, verdict text)
language plpgsql volatile
set lock_timeout = '50ms' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_runs text[] := run_machine.called_runs(p_calls);
  v_locked text[] := run_machine.try_lock_runs(v_runs);
  plain record;
begin
  -- The output is not a column of jsonb_to_recordset, which returns SQL null for the JSON value null.
  select coalesce(array_agg(c.position::integer), '{}') as calls, array_agg(c.run) as runs, array_agg(c.attempt) as attempts,
      array_agg(c.op) as ops, array_agg(c.results) as results, array_agg(c.notes) as notes, array_agg(c.status) as statuses,
      array_agg(c.call -> 'output') as outputs, array_agg(c.error) as errors
    into plain
    from rows from (jsonb_to_recordset(p_calls) as (run text, attempt integer, op uuid, results jsonb, notes jsonb, files jsonb,
        status text, error jsonb), jsonb_array_elements(p_calls)) with ordinality
      as c(run, attempt, op, results, notes, files, status, error, call, position)
    join runs r on r.id = c.run
   where c.run = any (v_locked) and r.status = 'running' and r.attempt = c.attempt and c.status <> 'handed_off'
     and r.concurrency_max is null and r.concurrency_max_per_key is null
     and c.files is null and not r.has_files
     and run_machine.are_plain_results(c.results)
     and not exists (select from approvals a where a.run_id = r.id and a.status = 'open')
     and not exists (select from child_runs k where k.run_id = r.id and k.state = 'open')
     and cardinality(array_positions(v_runs, c.run)) = 1;
  if plain.calls <> '{}' then
    perform run_machine.end_plain_runs(plain.runs, plain.attempts, plain.ops, plain.results, plain.notes, plain.statuses, plain.outputs,
      plain.errors);
    return query select c.call, 'ok' from unnest(plain.calls) as c(call);
  end if;
  for i in 1 .. cardinality(v_runs) loop
    continue when i = any (plain.calls) or v_runs[i] <> all (v_locked);
    return query select i, f.verdict from run_machine.finish(p_calls -> (i - 1)) f;
  end loop;
end $$;
