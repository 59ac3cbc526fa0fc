-- Leases at most p_limit due schedules to the caller for p_lease_ms, longest due first. For each schedule, the caller
-- either starts a run (fire_schedule) or only sets the next fire time (plan_schedule). If the caller dies, the
-- schedules become due again when the lease expires.
-- fire_at is null if no worker has computed it. generation is active_since as text. It changes when the cron or
-- timezone changes, and when the schedule is resumed after a pause or stop.
create or replace function triggers.due_schedules(p_limit integer, p_lease_ms integer)
returns table (workspace_id text, agent_id text, trigger_id text, cron text, timezone text, catch_up text,
  fire_at timestamptz, active_since timestamptz, generation text, now timestamptz)
language plpgsql volatile as $$
declare
  -- The time is in a variable, because a volatile function in the condition would prevent an index scan.
  v_now timestamptz := clock_timestamp();
begin
  return query
    with due as (
      select t.agent_id, t.id from triggers t where t.due_at <= v_now order by t.due_at limit p_limit
        for no key update skip locked
    )
    update triggers t set due_at = v_now + p_lease_ms * interval '1 millisecond'
      from due where t.agent_id = due.agent_id and t.id = due.id
    returning t.workspace_id, t.agent_id, t.id, t.cron, t.timezone, t.catch_up, t.fire_at, t.active_since,
      t.active_since::text, v_now;
end $$;
