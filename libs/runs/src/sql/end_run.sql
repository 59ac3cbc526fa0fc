-- The one way into a terminal status, with its one `run.completed` event. The caller holds the run's row lock and has
-- checked that the run has not ended.
create or replace function run_machine.end_run(p_run text, p_status text, p_output jsonb, p_error jsonb) returns void
language plpgsql volatile as $$
begin
  update runs r
     set status = p_status, output = p_output, error = p_error, ended_at = clock_timestamp(),
         worker_id = null, wake_at = null,
         active_ms = r.active_ms + case when r.status = 'running'
           then round(extract(epoch from clock_timestamp() - r.claimed_at) * 1000)::bigint else 0 end
   where r.id = p_run;
  insert into events (id, workspace_id, run_id, type, data)
    select run_machine.new_id('evt'), r.workspace_id, r.id, 'run.completed',
      jsonb_build_object('run', r.id, 'agent', r.agent_id, 'version', r.version, 'status', r.status)
    from runs r where r.id = p_run;
end $$;
