-- Hands out at most p_limit schedules that are due, the longest due first, each to one worker: for p_lease_ms nobody else gets
-- them. Whoever gets one fires it (fire_schedule) or plans it (plan_schedule); if they die over it, it is handed out again.
-- fire_at null: its next fire time has not been worked out yet.
-- generation: what it counts its fire times from; a schedule that was changed, paused or stopped meanwhile has another one.
create or replace function triggers.due_schedules(p_limit integer, p_lease_ms integer)
returns table (workspace_id text, agent_id text, trigger_id text, cron text, timezone text, catch_up text,
  fire_at timestamptz, active_since timestamptz, generation text, now timestamptz)
language plpgsql volatile as $$
declare
  -- One value for the whole statement: a call in its place could not be looked up in the index.
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
