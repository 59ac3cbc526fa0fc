-- Lets a stopped workspace go on. Approval clocks stood still: every open approval gets the time of the stop on top.
create or replace function run_machine.resume_workspace(p_workspace text, p_actor text, p_reason text) returns boolean
language plpgsql volatile as $$
declare
  v_stopped_at timestamptz;
begin
  perform pg_advisory_xact_lock(hashtextextended('workspace:' || p_workspace, 0));
  select w.stopped_at into v_stopped_at from workspaces w where w.id = p_workspace and w.state = 'stopped';
  if not found then return false; end if;
  update workspaces w set state = 'active', epoch = w.epoch + 1, stopped_at = null, stopped_by = null, stop_reason = null where w.id = p_workspace;
  update approvals a set expires_at = a.expires_at + (clock_timestamp() - greatest(v_stopped_at, a.opened_at))
   where a.workspace_id = p_workspace and a.status = 'open';
  insert into events (id, workspace_id, type, data)
    values (run_machine.new_id('evt'), p_workspace, 'workspace.resumed', jsonb_build_object('by', p_actor, 'reason', p_reason));
  perform run_machine.audit(p_workspace, p_actor, 'workspace.resume', p_workspace, jsonb_build_object('reason', p_reason));
  return true;
end $$;

-- Gives held runs of an active workspace their wake time back, some at a time; how many it was.
create or replace function run_machine.wake_held_runs(p_workspace text, p_limit integer) returns integer
language plpgsql volatile as $$
declare
  fence record;
  v_woken integer;
begin
  fence := run_machine.workspace_fence(p_workspace);
  if fence.state <> 'active' then return 0; end if;
  update runs r set wake_at = clock_timestamp()
   where r.id in (
     select q.id from runs q where q.workspace_id = p_workspace and q.status = 'queued' and q.wake_at = 'infinity'
      limit p_limit for no key update skip locked);
  get diagnostics v_woken = row_count;
  return v_woken;
end $$;
