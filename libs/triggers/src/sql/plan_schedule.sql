-- Sets the next fire time of a schedule without starting a run. Used if the schedule is new, or if a missed fire time
-- starts no run. p_missed is the reason to log as a filtered event, or null if no fire time was missed. For the other
-- parameters see fire_schedule. Returns false if another worker has set the next fire time, or if the schedule has
-- changed.
create or replace function triggers.plan_schedule(
  p_workspace text, p_agent text, p_trigger text, p_expected timestamptz, p_generation timestamptz, p_next timestamptz,
  p_event text, p_missed text
) returns boolean
language plpgsql volatile as $$
begin
  update triggers t set fire_at = p_next, due_at = p_next
   where t.workspace_id = p_workspace and t.agent_id = p_agent and t.id = p_trigger
     and t.due_at is not null and t.fire_at is not distinct from p_expected and t.active_since = p_generation;
  if found and p_missed is not null then
    perform triggers.log_trigger_event(p_event, p_workspace, p_agent, p_trigger, 'schedule', 'filtered', p_missed,
      null, null, null, null);
    return true;
  end if;
  return found;
end $$;
