-- Stops a workspace. The exclusive lock orders the stop against every intent: whoever commits an intent afterwards has read
-- `stopped`. Touches one row however many runs exist. Repeating it changes nothing.
create or replace function run_machine.emergency_stop(p_workspace text, p_actor text, p_reason text)
returns table (changed boolean, epoch bigint, stopped_at timestamptz, stopped_by text, reason text)
language plpgsql volatile as $$
declare
  v_changed boolean;
begin
  perform pg_advisory_xact_lock(hashtextextended('workspace:' || p_workspace, 0));
  update workspaces w
     set state = 'stopped', epoch = w.epoch + 1, stopped_at = clock_timestamp(), stopped_by = p_actor, stop_reason = p_reason
   where w.id = p_workspace and w.state = 'active';
  v_changed := found;
  if v_changed then
    insert into events (id, workspace_id, type, data)
      values (run_machine.new_id('evt'), p_workspace, 'workspace.stopped', jsonb_build_object('by', p_actor, 'reason', p_reason));
    perform run_machine.audit(p_workspace, p_actor, 'workspace.stop', p_workspace, jsonb_build_object('reason', p_reason));
    perform pg_notify('workspace_stopped', p_workspace);
  end if;
  return query select v_changed, w.epoch, w.stopped_at::timestamptz, w.stopped_by, w.stop_reason from workspaces w where w.id = p_workspace;
end $$;
