-- Permits p_worker to call the tool of a poll now. Returns no row if the worker has lost the poll, if the agent is not
-- active or if the workspace is stopped. Because of the stop lock, an emergency stop either prevents the call or begins
-- after this permission.
-- began_at: current time of the database. last_at: time at which the last successful poll began.
-- remembered: fingerprint of the tool, items and key at the first poll.
create or replace function triggers.begin_poll(p_workspace text, p_agent text, p_trigger text, p_worker text)
returns table (began_at timestamptz, epoch bigint, version integer, last_at timestamptz, remembered text)
language plpgsql volatile as $$
declare
  v_stop record;
begin
  v_stop := workspace.stop_lock(p_workspace);
  return query
    select clock_timestamp(), v_stop.epoch, a.production_version, p.last_at, p.remembered
      from poll_watches p join agents a on a.id = p.agent_id and a.workspace_id = p.workspace_id
     where p.workspace_id = p_workspace and p.agent_id = p_agent and p.trigger_id = p_trigger and p.worker = p_worker
       and p.due_at is not null and a.status = 'active' and v_stop.state = 'active';
end $$;
