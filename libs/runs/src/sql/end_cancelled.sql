-- Ends a run as cancelled and says so in its trace. The caller holds the run's row lock and has checked that it has not ended.
create or replace function run_machine.end_cancelled(p_run text, p_reason text, p_actor text) returns void
language plpgsql volatile as $$
declare
  v runs%rowtype;
begin
  select * into v from runs r where r.id = p_run;
  update runs r set cancel_reason = p_reason, step_n = run_machine.record_notes(
      p_run, v.workspace_id, v.attempt, gen_random_uuid(), run_machine.active_epoch(v.workspace_id), v.step_n,
      jsonb_build_array(jsonb_build_object('path', '', 'type', 'cancelled', 'state', 'succeeded',
        'detail', jsonb_build_object('by', p_actor, 'reason', p_reason))))
   where r.id = p_run;
  perform run_machine.end_run(p_run, 'cancelled', null, null);
  if v.status = 'running' then perform pg_notify('run_cancelled', p_run); end if;
end $$;
