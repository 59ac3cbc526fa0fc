-- Records the outcome of a poll, plans the next poll and ends the lease. p_began: time at which the poll began, for
-- last_at. If the poll failed or left items for the next poll, p_began is null and last_at does not change. p_error:
-- the error if the poll failed. It is logged with the event id p_event, unless the previous poll failed with the same
-- error.
create or replace function triggers.end_poll(
  p_workspace text, p_agent text, p_trigger text, p_worker text, p_next timestamptz, p_began timestamptz,
  p_error text, p_event text
) returns void
language plpgsql volatile as $$
declare
  v poll_watches%rowtype;
begin
  select * into v from poll_watches p
   where p.workspace_id = p_workspace and p.agent_id = p_agent and p.trigger_id = p_trigger and p.worker = p_worker
     for no key update;
  if not found then return; end if;
  update poll_watches p set
      last_at = coalesce(p_began, p.last_at), error = p_error, worker = null, lease_until = null,
      due_at = case when p.due_at is not null then p_next end
   where p.agent_id = p_agent and p.trigger_id = p_trigger;
  if p_error is not null and v.error is distinct from p_error then
    perform triggers.log_trigger_event(p_event, p_workspace, p_agent, p_trigger, 'poll', 'error', p_error,
      null, null, null, null);
  end if;
end $$;
