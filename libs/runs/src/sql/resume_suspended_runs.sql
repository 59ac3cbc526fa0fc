-- Makes up to p_limit suspended runs of an active workspace due again, oldest first, and returns their ids. Adds a
-- `resumed` step to the trace of runs that the stop interrupted.
create or replace function run_machine.resume_suspended_runs(p_workspace text, p_limit integer) returns setof text
language plpgsql volatile as $$
declare
  v_stop record;
  v_now timestamptz;
begin
  v_stop := workspace.stop_lock(p_workspace);
  if v_stop.state <> 'active' then return; end if;
  v_now := clock_timestamp();
  return query
    with held as materialized (
      select q.id, q.workspace_id, q.attempt, q.step_n from runs q
       where q.workspace_id = p_workspace and q.status = 'queued' and q.wake_at = 'infinity'
       order by q.id limit p_limit for no key update skip locked),
    resumed as (
      insert into run_steps (run_id, n, workspace_id, path, type, state, attempt, op, epoch, started_at, ended_at)
        select h.id, h.step_n + 1, h.workspace_id, '', 'resumed', 'succeeded', h.attempt, gen_random_uuid(), v_stop.epoch, v_now, v_now
        from held h join run_steps s on s.run_id = h.id and s.n = h.step_n and s.type = 'stopped'
      returning run_id)
    update runs r
       set wake_at = clock_timestamp(), step_n = r.step_n + (resumed.run_id is not null)::integer
      from held left join resumed on resumed.run_id = held.id
     where r.id = held.id
    returning r.id;
end $$;

-- Returns active workspaces that still have suspended runs. Either a resume was interrupted, or a run was suspended
-- during the resume. The query uses the index to skip from one workspace to the next. Its cost depends on the number of
-- workspaces with suspended runs, not on the number of runs.
create or replace function run_machine.workspaces_to_resume(p_limit integer) returns setof text
language sql stable as $$
  with recursive holding as (
    (select r.workspace_id from runs r where r.status = 'queued' and r.wake_at = 'infinity' order by r.workspace_id limit 1)
    union all
    select (select r.workspace_id from runs r
             where r.status = 'queued' and r.wake_at = 'infinity' and r.workspace_id > h.workspace_id
             order by r.workspace_id limit 1)
      from holding h where h.workspace_id is not null)
  select h.workspace_id from holding h join workspaces w on w.id = h.workspace_id and w.state = 'active' limit p_limit
$$;
