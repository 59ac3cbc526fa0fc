-- Fires a schedule: uses up its fire time and takes the event in one commit. If several workers try, one succeeds.
--
-- p_call     the members of a call of take_event, and:
--   expected    fire_at as due_schedules returned it, in ISO 8601; null if no fire time was computed
--   generation  generation as due_schedules returned it
--   next        the next fire time in ISO 8601; null if there is none
--
-- verdict: a verdict of take_event, or one of these:
--   superseded: another worker fired the schedule, or the schedule has changed
--   overlap: the last run of the schedule has not ended, and the schedule has overlap: skip
-- If the verdict is stopped, the fire time is not used up. When the workspace is resumed, the schedule is due again.
create or replace function triggers.fire_schedule(p_call jsonb)
returns table (verdict text, run_id text, version integer, created_at timestamptz)
language plpgsql volatile as $$
declare
  c record;
  v_stop record;
  v triggers%rowtype;
  v_production integer;
  v_overlaps boolean;
  taken record;
begin
  select * into c from jsonb_to_record(p_call) as x(expected timestamptz, generation timestamptz, next timestamptz, workspace text,
    agent text, trigger text, version integer, decision text);
  v_stop := workspace.stop_lock(c.workspace);
  -- The agent is locked before its trigger, in the same order as in a pause and a promotion. The shared lock prevents a
  -- promotion until the commit.
  select a.production_version into v_production from agents a
   where a.id = c.agent and a.workspace_id = c.workspace for share;
  select * into v from triggers t where t.agent_id = c.agent and t.id = c.trigger for no key update;
  if not found or v.due_at is null or v.fire_at is distinct from c.expected or v.active_since <> c.generation then
    return query select 'superseded', null::text, null::integer, null::timestamptz;
    return;
  elsif v_stop.state <> 'active' then
    update triggers t set due_at = null where t.agent_id = c.agent and t.id = c.trigger;
    return query select 'stopped', null::text, null::integer, null::timestamptz;
    return;
  elsif v_production <> c.version then
    return query select 'version_changed', null::text, v_production, null::timestamptz;
    return;
  end if;

  update triggers t set fire_at = c.next, due_at = c.next where t.agent_id = c.agent and t.id = c.trigger;
  v_overlaps := c.decision = 'start' and v.overlap = 'skip'
    and exists (select from runs r where r.id = v.last_run_id and r.ended_at is null);
  select * into taken from triggers.take_event(p_call || case when v_overlaps
    then '{"decision": "filtered", "reason": "The previous run of the schedule has not ended (overlap: skip)."}' else '{}' end::jsonb);
  if taken.verdict = 'started' then
    update triggers t set last_run_id = taken.run_id where t.agent_id = c.agent and t.id = c.trigger;
  end if;
  return query select case when v_overlaps and taken.verdict = 'filtered' then 'overlap' else taken.verdict end,
    taken.run_id, taken.version, taken.created_at;
end $$;
