-- These functions implement the SQL ports of libs/events. event_snapshot returns the data that an event shows:
--   run.approval_requested  the run, with the requested approval in the field `approval`
--   run.*                   the run
--   approval.*              the approval
--   other types             the recorded data
-- has_subject returns whether the run of the event still exists. It returns false for an event without a run.
create or replace function events.event_snapshot(p_event events) returns json
language sql stable as $$
  select case
    when p_event.type = 'run.approval_requested' then (run_machine.run_snapshot(p_event.run_id)::jsonb
      || jsonb_build_object('approval',
        (select run_machine.approval_snapshot(a) from approvals a where a.id = p_event.data ->> 'approval')))::json
    when p_event.type like 'run.%' then run_machine.run_snapshot(p_event.run_id)
    when p_event.type like 'approval.%'
      then (select run_machine.approval_snapshot(a) from approvals a where a.id = p_event.data ->> 'approval')
    else p_event.data::json end
$$;

create or replace function events.has_subject(p_event events) returns boolean
language sql stable as $$
  select exists (select from runs r where r.id = p_event.run_id)
$$;
