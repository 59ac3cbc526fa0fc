-- Cancels up to p_limit runs of a stopped workspace and returns their number. During a stop, no run begins and no run
-- is added, so no runs are left after a call that returns 0. If p_unbegun is true, cancels only runs that no worker has
-- claimed yet. If p_reason is null, `cancel_reason` states whether the stop or the resume cancelled the run. The
-- function locks several runs, in the order of their ids.
create or replace function run_machine.cancel_stopped_runs(p_workspace text, p_unbegun boolean, p_reason text, p_actor text, p_limit integer)
returns integer
language plpgsql volatile as $$
declare
  v_stop record;
  v_run text;
  v runs%rowtype;
  v_cancelled integer := 0;
begin
  v_stop := workspace.stop_lock(p_workspace);
  if v_stop.state <> 'stopped' then return 0; end if;
  for v_run in
    select open.id from (
      (select r.id from runs r where r.workspace_id = p_workspace and r.status = 'queued' and (r.attempt = 0 or not p_unbegun) order by r.id limit p_limit)
      union all
      (select r.id from runs r where r.workspace_id = p_workspace and r.status = 'running' and not p_unbegun order by r.id limit p_limit)
      union all
      (select r.id from runs r where r.workspace_id = p_workspace and r.status = 'waiting_approval' and not p_unbegun order by r.id limit p_limit)
    ) open order by open.id limit p_limit
  loop
    v := run_machine.take_run(p_workspace, v_run);
    continue when v.id is null or v.ended_at is not null;
    perform run_machine.end_cancelled(v, coalesce(p_reason, case
      when p_unbegun then 'The workspace was resumed, and its queued runs were cancelled.' else 'Emergency stop of the workspace.' end), p_actor);
    v_cancelled := v_cancelled + 1;
  end loop;
  return v_cancelled;
end $$;

-- Finds one stopped workspace whose stop cancels runs, cancels up to p_limit of its runs, and returns their number. Any
-- process may call it.
create or replace function run_machine.cancel_runs_of_stops(p_limit integer) returns integer
language plpgsql volatile as $$
declare
  v workspaces%rowtype;
  v_cancelled integer := 0;
begin
  for v in select * from workspaces w where w.state = 'stopped' and w.cancel_runs order by w.id loop
    v_cancelled := run_machine.cancel_stopped_runs(v.id, false, v.stop_reason, v.stopped_by, p_limit);
    exit when v_cancelled > 0;
  end loop;
  return v_cancelled;
end $$;
