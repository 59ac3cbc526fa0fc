-- The one way into a terminal status, with its one `run.completed` event. The caller holds the run's row lock and has
-- checked that the run has not ended. Approvals that are still open are closed, steps that have not begun never will.
create or replace function run_machine.end_run(p_run text, p_status text, p_output jsonb, p_error jsonb) returns void
language plpgsql volatile as $$
begin
  update run_steps s set state = 'cancelled', ended_at = clock_timestamp()
   where s.run_id = p_run and s.state in ('awaiting_approval', 'ready', 'waiting');
  update approvals a set status = 'cancelled', decided_at = clock_timestamp() where a.run_id = p_run and a.status = 'open';
  update runs r
     set status = p_status, output = p_output, error = p_error, ended_at = clock_timestamp(), worker_id = null, wake_at = null,
         active_ms = r.active_ms + case when r.status = 'running'
           then round(extract(epoch from clock_timestamp() - r.claimed_at) * 1000)::bigint else 0 end
   where r.id = p_run;
  perform run_machine.emit('run.completed', p_run, '{}');
  perform run_machine.free_concurrency(p_run);
end $$;
