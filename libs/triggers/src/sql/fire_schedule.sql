-- Fires a schedule: uses up its fire time and takes the event in one commit. If several workers try, one succeeds.
-- p_expected and p_generation are fire_at and generation as due_schedules returned them. p_next is the next fire time,
-- or null if there is none. The other parameters are those of take_event.
--
-- verdict: a verdict of take_event, or one of these:
--   superseded: another worker fired the schedule, or the schedule has changed
--   overlap: the last run of the schedule has not ended, and the schedule has overlap: skip
-- If the verdict is stopped, the fire time is not used up. When the workspace is resumed, the schedule is due again.
create or replace function triggers.fire_schedule(
  p_expected timestamptz, p_generation timestamptz, p_next timestamptz,
  p_event text, p_workspace text, p_agent text, p_trigger text, p_type text, p_version integer, p_by_hand boolean,
  p_decision text, p_reason text, p_errors jsonb,
  p_key text, p_fingerprint bytea, p_keep_ms bigint, p_secret bytea,
  p_run text, p_mode text, p_run_trigger jsonb, p_input jsonb, p_labels jsonb, p_initiator text, p_currency text, p_limits jsonb
) returns table (verdict text, run_id text, version integer, created_at timestamptz)
language plpgsql volatile as $$
declare
  v_stop record;
  v triggers%rowtype;
  v_production integer;
  v_overlaps boolean;
  taken record;
begin
  v_stop := workspace.stop_lock(p_workspace);
  -- The agent is locked before its trigger, in the same order as in a pause and a promotion. The shared lock prevents a
  -- promotion until the commit.
  select a.production_version into v_production from agents a
   where a.id = p_agent and a.workspace_id = p_workspace for share;
  select * into v from triggers t where t.agent_id = p_agent and t.id = p_trigger for no key update;
  if not found or v.due_at is null or v.fire_at is distinct from p_expected or v.active_since <> p_generation then
    return query select 'superseded', null::text, null::integer, null::timestamptz;
    return;
  elsif v_stop.state <> 'active' then
    update triggers t set due_at = null where t.agent_id = p_agent and t.id = p_trigger;
    return query select 'stopped', null::text, null::integer, null::timestamptz;
    return;
  elsif v_production <> p_version then
    return query select 'version_changed', null::text, v_production, null::timestamptz;
    return;
  end if;

  update triggers t set fire_at = p_next, due_at = p_next where t.agent_id = p_agent and t.id = p_trigger;
  v_overlaps := p_decision = 'start' and v.overlap = 'skip'
    and exists (select from runs r where r.id = v.last_run_id and r.ended_at is null);
  select * into taken from triggers.take_event(p_event, p_workspace, p_agent, p_trigger, p_type, p_version, p_by_hand,
    case when v_overlaps then 'filtered' else p_decision end,
    case when v_overlaps then 'The previous run of the schedule has not ended (overlap: skip).' else p_reason end, p_errors,
    p_key, p_fingerprint, p_keep_ms, p_secret,
    p_run, p_mode, p_run_trigger, p_input, p_labels, p_initiator, p_currency, p_limits);
  if taken.verdict = 'started' then
    update triggers t set last_run_id = taken.run_id where t.agent_id = p_agent and t.id = p_trigger;
  end if;
  return query select case when v_overlaps and taken.verdict = 'filtered' then 'overlap' else taken.verdict end,
    taken.run_id, taken.version, taken.created_at;
end $$;
