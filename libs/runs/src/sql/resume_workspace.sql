-- Lets a stopped workspace go on. The time of the stop counts for nobody: every open approval, and every run that has not
-- begun and may only wait so long, gets it on top. Waits are for a moment, which a stop does not move.
-- False: it was not stopped, and nothing has changed.
create or replace function run_machine.resume_workspace(p_workspace text, p_actor text, p_reason text) returns boolean
language plpgsql volatile as $$
declare
  v_stopped_at timestamptz;
begin
  perform pg_advisory_xact_lock(hashtextextended('workspace:' || p_workspace, 0));
  select w.stopped_at into v_stopped_at from workspaces w where w.id = p_workspace and w.state = 'stopped';
  if not found then return false; end if;
  update workspaces w
     set state = 'active', epoch = w.epoch + 1, stopped_at = null, stopped_by = null, stop_reason = null,
         drain_until = null, cancel_runs = false, resumed_at = clock_timestamp()
   where w.id = p_workspace;
  update approvals a set expires_at = a.expires_at + (clock_timestamp() - greatest(v_stopped_at, a.opened_at))
   where a.workspace_id = p_workspace and a.status = 'open';
  update runs r set queue_deadline = r.queue_deadline + (clock_timestamp() - greatest(v_stopped_at, r.created_at))
   where r.workspace_id = p_workspace and r.status = 'queued' and r.attempt = 0 and r.queue_deadline is not null;
  insert into events (id, workspace_id, type, data)
    values (run_machine.new_id('evt'), p_workspace, 'workspace.resumed', jsonb_build_object('by', p_actor, 'reason', p_reason));
  perform run_machine.audit(p_workspace, p_actor, 'workspace.resume', p_workspace, jsonb_build_object('reason', p_reason));
  return true;
end $$;
