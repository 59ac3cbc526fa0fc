-- Ends a run as cancelled and adds a step to its trace. The caller holds the row lock of the run, has read the row v
-- under this lock, and has checked that the run has not ended.
create or replace function run_machine.end_cancelled(v runs, p_reason text, p_actor text) returns void
language plpgsql volatile as $$
begin
  update runs r set cancel_reason = p_reason where r.id = v.id;
  perform run_machine.end_run(v, null, jsonb_build_array(jsonb_build_object('path', '', 'type', 'cancelled', 'state', 'succeeded',
    'detail', jsonb_build_object('by', p_actor, 'reason', p_reason))), 'cancelled', null, null);
  if v.status = 'running' then perform pg_notify('run_cancelled', v.id); end if;
end $$;
