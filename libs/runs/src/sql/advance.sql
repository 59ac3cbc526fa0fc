-- Advances a run: records the results of the last calls, appends notes (steps without a call) and begins the next
-- steps, in one commit. A call begins when its intent commits. The caller must send only calls that this function
-- returned as `started`.
--
-- p_call     {run, workspace, attempt, op, results, notes, intents, files, pause_ms}
--   attempt    fencing token of the caller
--   op         UUID of the operation
--   results    [{n, state, output, error, detail}], see record_results; null if there are none
--   notes      [{path, type, state, output, error, detail}], see record_notes; null if there are none
--   intents    [{path, try?, type, tool, scope, effect, request, resumes?, gate?, due_in_ms?, due_at?}], see
--              record_intents; null if there are none
--   files      the files to which these values refer (see files.refer); null if there are none
--   pause_ms   time in milliseconds after which the run is due again if the worker releases it; null if the run
--              continues
--
-- verdict: ok        `steps` lists the intents as [{n, path, try, state, request, output, error}]. The caller must send
--                    the requests of `started` steps byte for byte. Other steps are resumed steps with an outcome.
--          paused    the run waits for a time or for a person, and no longer belongs to the caller
--          stopped   the workspace is stopped; the run is queued again, unless it still has running calls
--          cancelled | fenced   the run no longer belongs to the caller, which must stop working on it
-- If the caller repeats an `op` whose response was lost, it gets the same steps.
create or replace function run_machine.advance(p_call jsonb)
returns table (verdict text, epoch bigint, steps jsonb)
language plpgsql volatile as $$
declare
  c record;
  v_stop record;
  v runs%rowtype;
  v_n integer;
begin
  select * into c from jsonb_to_record(p_call) as x(run text, workspace text, attempt integer, op uuid, results jsonb, notes jsonb,
    intents jsonb, files jsonb, pause_ms bigint);
  v_stop := workspace.stop_lock(c.workspace);
  -- The condition names only the id of the run. If it also named the workspace, a session could keep a plan with an
  -- index by workspace from the time when the table was small.
  select * into v from runs r where r.id = c.run for no key update;
  if v.workspace_id <> c.workspace then v := null; end if;
  -- A repeated operation does not record its results again. Otherwise, a result `ready` would reset a call that has
  -- begun after the first execution of the operation.
  if v.id is not null and c.results is not null and v.last_op is distinct from c.op then
    perform run_machine.record_results(c.run, c.attempt, c.results);
  end if;
  perform run_machine.refer_to_files(v, c.files);
  if v.id is null or v.status <> 'running' or v.attempt <> c.attempt then
    return query select case
      when v.status = 'cancelled' then 'cancelled'
      when v.last_op = c.op and v.attempt = c.attempt then 'paused'
      else 'fenced' end, v_stop.epoch, null::jsonb;
    return;
  end if;

  -- A stop takes precedence over a repeated operation. The caller has not sent the calls of this operation yet, and
  -- must not send them after a stop.
  if v_stop.state <> 'active' then
    perform run_machine.suspend_when_idle(c.run, c.op);
    return query select 'stopped', v_stop.epoch, null::jsonb;
    return;
  end if;

  if v.last_op is distinct from c.op then
    v_n := v.step_n;
    if c.notes is not null then
      v_n := run_machine.record_notes(c.run, c.workspace, c.attempt, c.op, v_stop.epoch, v_n, c.notes);
    end if;
    if c.intents is not null then
      v_n := run_machine.record_intents(c.run, c.workspace, c.attempt, c.op, v_stop.epoch, v_n, c.intents);
    end if;
    update runs r set step_n = v_n, last_op = c.op where r.id = c.run;
    if run_machine.yield_run(c.run, c.pause_ms) then
      return query select 'paused', v_stop.epoch, null::jsonb;
      return;
    end if;
  end if;
  return query select 'ok', v_stop.epoch, to_jsonb(array(
      select jsonb_build_object(
          'n', s.n, 'path', s.path, 'try', s.try, 'state', s.state, 'request', s.request, 'output', s.output, 'error', s.error)
        from run_steps s
       where c.intents is not null and s.run_id = c.run and ((s.op = c.op and s.state = 'started')
         or (s.n in (select (x ->> 'resumes')::integer from jsonb_array_elements(c.intents) x where x -> 'gate' is null)
           and s.ended_at is not null and s.state <> 'interrupted')
         or (s.n in (select (x ->> 'resumes')::integer from jsonb_array_elements(c.intents) x where x -> 'gate' is not null)
           and s.state <> 'in_doubt'))
       order by s.n));
end $$;

-- Executes several calls of advance in one commit (see try_lock_run.sql).
create or replace function run_machine.advance_batch(p_calls jsonb)
returns table (call integer, verdict text, epoch bigint, steps jsonb)
language plpgsql volatile
set lock_timeout = '50ms' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_runs text[] := run_machine.called_runs(p_calls);
  v_workspaces text[] := run_machine.called_workspaces(p_calls);
  v_open text[] := run_machine.try_stop_locks(v_workspaces);
  v_locked text[] := run_machine.try_lock_runs(array(
    select c.run from unnest(v_runs, v_workspaces) as c(run, workspace) where c.workspace = any (v_open)));
  plain record;
begin
  select coalesce(array_agg(c.position::integer), '{}') as calls, array_agg(c.run) as runs, array_agg(c.attempt) as attempts,
      array_agg(c.op) as ops, array_agg(c.results) as results, array_agg(c.notes) as notes, array_agg(c.intents) as intents,
      array_agg(w.epoch) as epochs
    into plain
    from rows from (jsonb_to_recordset(p_calls) as (run text, workspace text, attempt integer, op uuid, results jsonb, notes jsonb,
        intents jsonb, files jsonb, pause_ms bigint)) with ordinality
      as c(run, workspace, attempt, op, results, notes, intents, files, pause_ms, position)
    join runs r on r.id = c.run and r.workspace_id = c.workspace
    join workspaces w on w.id = r.workspace_id
   where c.run = any (v_locked) and w.state = 'active' and r.status = 'running' and r.attempt = c.attempt
     and r.last_op is distinct from c.op and c.pause_ms is null and c.files is null
     and run_machine.are_plain_results(c.results) and run_machine.are_plain_intents(c.intents)
     and not exists (select from approvals a where a.run_id = r.id and a.status = 'open')
     and cardinality(array_positions(v_runs, c.run)) = 1;
  if plain.calls <> '{}' then
    perform run_machine.advance_plain_runs(plain.runs, plain.attempts, plain.ops, plain.results, plain.notes, plain.intents);
    return query select c.call, 'ok', c.epoch, to_jsonb(array(
        select jsonb_build_object(
            'n', s.n, 'path', s.path, 'try', s.try, 'state', s.state, 'request', s.request, 'output', s.output, 'error', s.error)
          from run_steps s
         where c.intents is not null and s.run_id = c.run and s.op = c.op and s.state = 'started'
         order by s.n))
      from unnest(plain.calls, plain.runs, plain.ops, plain.intents, plain.epochs) as c(call, run, op, intents, epoch);
  end if;
  for i in 1 .. cardinality(v_runs) loop
    continue when i = any (plain.calls) or v_runs[i] <> all (v_locked) or v_workspaces[i] <> all (v_open);
    return query select i, a.* from run_machine.advance(p_calls -> (i - 1)) a;
  end loop;
end $$;

-- Like advance, for several running runs at once. The i-th entry of each parameter belongs to the run p_runs[i]. The
-- caller holds the stop locks and the row locks, and has checked that:
-- - each workspace is active,
-- - each run is running as attempt p_attempts[i] and has no open approval,
-- - no operation is repeated,
-- - the results and the intents are plain (see are_plain_results and are_plain_intents).
create or replace function run_machine.advance_plain_runs(
  p_runs text[], p_attempts integer[], p_ops uuid[], p_results jsonb[], p_notes jsonb[], p_intents jsonb[]
) returns void
language plpgsql volatile as $$
begin
  perform run_machine.record_plain_results(p_runs, p_attempts, p_results);
  perform run_machine.record_notes_of_runs(p_runs, p_ops, p_notes);
  perform run_machine.record_plain_intents(p_runs, p_ops, p_notes, p_intents);
  update runs r
     set step_n = r.step_n + coalesce(jsonb_array_length(c.notes), 0) + coalesce(jsonb_array_length(c.intents), 0), last_op = c.op
    from unnest(p_runs, p_ops, p_notes, p_intents) as c(run, op, notes, intents)
   where r.id = c.run;
end $$;
