-- Answers the ports of libs/events: what the message of an event says (`run.*` the run, `approval.*` the approval, every other
-- type what was recorded), and whether its run still exists. An event without a run has no subject that would keep it.
create or replace function events.event_data(p_event events) returns json
language sql stable as $$
  select case
    when p_event.type like 'run.%' then run_machine.shown_run(p_event.run_id)
    when p_event.type like 'approval.%' then run_machine.shown_approval(p_event.data ->> 'approval')
    else p_event.data::json end
$$;

create or replace function events.has_subject(p_event events) returns boolean
language sql stable as $$
  select exists (select from runs r where r.id = p_event.run_id)
$$;
