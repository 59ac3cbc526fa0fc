-- Resumes a stopped workspace. Extends the deadline of each open approval, and the queue deadline of each run that has
-- not begun, by the duration of the stop. Does not extend waits, because they end at a fixed time. If the workspace was
-- not stopped, returns false and changes nothing.
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
