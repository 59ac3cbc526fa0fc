-- Lets a stopped workspace go on. The time of the stop counts for nobody: every open approval, and every run that has not
-- begun and may only wait so long, gets it on top. Waits are for a moment, which a stop does not move.
-- False: it was not stopped, and nothing has changed.
create or replace function run_machine.resume_workspace(p_workspace text, p_actor text, p_reason text) returns boolean
language plpgsql volatile as $$
declare
  v_stopped_at timestamptz := workspace.resume(p_workspace, p_actor, p_reason);
begin
  if v_stopped_at is null then return false; end if;
  update approvals a set expires_at = a.expires_at + (clock_timestamp() - greatest(v_stopped_at, a.opened_at))
   where a.workspace_id = p_workspace and a.status = 'open';
  update runs r set queue_deadline = r.queue_deadline + (clock_timestamp() - greatest(v_stopped_at, r.created_at))
   where r.workspace_id = p_workspace and r.status = 'queued' and r.attempt = 0 and r.queue_deadline is not null;
  perform events.emit(p_workspace, null, 'workspace.resumed', jsonb_build_object('by', p_actor, 'reason', p_reason));
  return true;
end $$;
