-- Queues a running run until its stopped workspace is resumed, and adds a step to its trace. The caller holds the row
-- lock of the run and has checked its owner. The wake time `infinity` is outside the index range that pollers read. The
-- resume sets a new wake time.
create or replace function run_machine.suspend(p_run text) returns void
language plpgsql volatile as $$
declare
  v runs%rowtype;
  v_stop jsonb;
begin
  select * into strict v from runs r where r.id = p_run;
  select jsonb_build_object('by', w.stopped_by, 'reason', w.stop_reason) into v_stop from workspaces w where w.id = v.workspace_id;
  update runs r
     set step_n = run_machine.record_notes(v.id, v.workspace_id, v.attempt, gen_random_uuid(), run_machine.active_epoch(v.workspace_id),
       v.step_n, jsonb_build_array(jsonb_build_object('path', '', 'type', 'stopped', 'state', 'succeeded', 'detail', v_stop)))
   where r.id = v.id;
  perform run_machine.requeue(v.id, 'infinity');
end $$;
