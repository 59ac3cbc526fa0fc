-- Advances a run: records the results of the last calls, appends notes (steps without a call) and begins the next
-- steps, in one commit. A call begins when its intent commits. The caller must send only calls that this function
-- returned as `started`.
--
-- p_results  [{n, state, output, error, detail}]                     see record_results
-- p_notes    [{path, type, state, output, error, detail}]            see record_notes
-- p_intents  [{path, try?, type, tool, scope, effect, request, resumes?, gate?, due_in_ms?, due_at?}]  see
--            record_intents
-- p_pause_ms time after which the run is due again if the worker releases it; null if the run continues
--
-- verdict: ok        `steps` lists the intents as [{n, path, try, state, request, output, error}]. The caller must send
--                    the requests of `started` steps byte for byte. Other steps are resumed steps with an outcome.
--          paused    the run waits for a time or for a person, and no longer belongs to the caller
--          stopped   the workspace is stopped; the run is queued again, unless it still has running calls
--          cancelled | fenced   the run no longer belongs to the caller, which must stop working on it
-- If the caller repeats a p_op whose response was lost, it gets the same steps.
create or replace function run_machine.advance(
  p_run text, p_workspace text, p_attempt integer, p_op uuid, p_results jsonb, p_notes jsonb, p_intents jsonb, p_pause_ms bigint
) returns table (verdict text, epoch bigint, steps jsonb)
language plpgsql volatile as $$
declare
  v_stop record;
  v runs%rowtype;
  v_n integer;
begin
  v_stop := workspace.stop_lock(p_workspace);
  -- The condition names only the id of the run. If it also named the workspace, a session could keep a plan with an
  -- index by workspace from the time when the table was small.
  select * into v from runs r where r.id = p_run for no key update;
  if v.workspace_id <> p_workspace then v := null; end if;
  -- A repeated operation does not record its results again. Otherwise, a result `ready` would reset a call that has
  -- begun after the first execution of the operation.
  if v.id is not null and p_results is not null and v.last_op is distinct from p_op then
    perform run_machine.record_results(p_run, p_attempt, p_results);
  end if;
  if v.id is null or v.status <> 'running' or v.attempt <> p_attempt then
    return query select case
      when v.status = 'cancelled' then 'cancelled'
      when v.last_op = p_op and v.attempt = p_attempt then 'paused'
      else 'fenced' end, v_stop.epoch, null::jsonb;
    return;
  end if;

  -- A stop takes precedence over a repeated operation. The caller has not sent the calls of this operation yet, and
  -- must not send them after a stop.
  if v_stop.state <> 'active' then
    perform run_machine.suspend_when_idle(p_run, p_op);
    return query select 'stopped', v_stop.epoch, null::jsonb;
    return;
  end if;

  if v.last_op is distinct from p_op then
    v_n := v.step_n;
    if p_notes is not null then
      v_n := run_machine.record_notes(p_run, p_workspace, p_attempt, p_op, v_stop.epoch, v_n, p_notes);
    end if;
    if p_intents is not null then
      v_n := run_machine.record_intents(p_run, p_workspace, p_attempt, p_op, v_stop.epoch, v_n, p_intents);
    end if;
    update runs r set step_n = v_n, last_op = p_op where r.id = p_run;
    if run_machine.yield_run(p_run, p_pause_ms) then
      return query select 'paused', v_stop.epoch, null::jsonb;
      return;
    end if;
  end if;
  return query select 'ok', v_stop.epoch, (
    select coalesce(jsonb_agg(jsonb_build_object(
        'n', s.n, 'path', s.path, 'try', s.try, 'state', s.state, 'request', s.request, 'output', s.output, 'error', s.error) order by s.n), '[]')
      from run_steps s
     where p_intents is not null and s.run_id = p_run and ((s.op = p_op and s.state = 'started')
       or (s.n in (select (x ->> 'resumes')::integer from jsonb_array_elements(p_intents) x where x -> 'gate' is null)
         and s.ended_at is not null and s.state <> 'interrupted')
       or (s.n in (select (x ->> 'resumes')::integer from jsonb_array_elements(p_intents) x where x -> 'gate' is not null)
         and s.state <> 'in_doubt')));
end $$;

-- Executes several calls of advance in one commit (see try_lock_run.sql).
create or replace function run_machine.advance_batch(
  p_runs text[], p_workspaces text[], p_attempts integer[], p_ops uuid[], p_results jsonb[], p_notes jsonb[], p_intents jsonb[], p_pauses_ms bigint[]
) returns table (call integer, verdict text, epoch bigint, steps jsonb)
language plpgsql volatile
set lock_timeout = '50ms' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_open text[] := run_machine.try_stop_locks(p_workspaces);
  v_locked text[] := run_machine.try_lock_runs(array(
    select c.run from unnest(p_runs, p_workspaces) as c(run, workspace) where c.workspace = any (v_open)));
  v_plain integer[] := array(
    select c.position
      from unnest(p_runs, p_workspaces, p_attempts, p_ops, p_results, p_intents, p_pauses_ms) with ordinality
        as c(run, workspace, attempt, op, results, intents, pause_ms, position)
      join runs r on r.id = c.run and r.workspace_id = c.workspace
      join workspaces w on w.id = r.workspace_id
     where c.run = any (v_locked) and w.state = 'active' and r.status = 'running' and r.attempt = c.attempt
       and r.last_op is distinct from c.op and c.pause_ms is null
       and run_machine.are_plain_results(c.results) and run_machine.are_plain_intents(c.intents)
       and not exists (select from approvals a where a.run_id = r.id and a.status = 'open')
       and cardinality(array_positions(p_runs, c.run)) = 1);
begin
  if v_plain <> '{}' then
    perform run_machine.advance_plain_runs(
      array_agg(p_runs[i] order by i), array_agg(p_attempts[i] order by i), array_agg(p_ops[i] order by i), array_agg(p_results[i] order by i),
      array_agg(p_notes[i] order by i), array_agg(p_intents[i] order by i))
      from unnest(v_plain) i;
    return query select i, 'ok', w.epoch, (
        select coalesce(jsonb_agg(jsonb_build_object(
            'n', s.n, 'path', s.path, 'try', s.try, 'state', s.state, 'request', s.request, 'output', s.output, 'error', s.error) order by s.n), '[]')
          from run_steps s
         where p_intents[i] is not null and s.run_id = p_runs[i] and s.op = p_ops[i] and s.state = 'started')
      from unnest(v_plain) i join workspaces w on w.id = p_workspaces[i];
  end if;
  for i in 1 .. cardinality(p_runs) loop
    continue when i = any (v_plain) or p_runs[i] <> all (v_locked) or p_workspaces[i] <> all (v_open);
    return query select i, a.* from run_machine.advance(p_runs[i], p_workspaces[i], p_attempts[i], p_ops[i], p_results[i], p_notes[i],
      p_intents[i], p_pauses_ms[i]) a;
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
