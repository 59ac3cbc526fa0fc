-- Defers a due run that could not be claimed, because its recorded steps exceed the time limit of a statement or a
-- limit of Postgres. If this happens again, the run is deferred for a random time in the next 2, 4, 8, ... seconds. A
-- run that was deferred or recovered more than p_max_recoveries times fails.
-- verdict: deferred | failed | noop (the run is not due)
create or replace function run_machine.defer_unclaimable(p_run text, p_max_recoveries integer)
returns table (verdict text)
language plpgsql volatile as $$
declare
  v runs%rowtype;
  v_error jsonb;
begin
  select * into v from runs r where r.id = p_run and r.wake_at <= clock_timestamp() for no key update skip locked;
  if not found then
    return query select 'noop';
  elsif v.recoveries >= p_max_recoveries then
    v_error := jsonb_build_object('code', 'recording_failed', 'step', null,
      'message', format('The database could not read the recorded steps of the run, %s times. They are probably too large.', v.recoveries + 1));
    perform run_machine.end_run(v, null, run_machine.ending_note('error', 'failed', '', v_error), 'failed', null, v_error);
    return query select 'failed';
  else
    update runs r
       set recoveries = r.recoveries + 1, wake_at = clock_timestamp() + random() * 2 ^ (v.recoveries + 1) * interval '1 second'
     where r.id = p_run;
    return query select 'deferred';
  end if;
end $$;
