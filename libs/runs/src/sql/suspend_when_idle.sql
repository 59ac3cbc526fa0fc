-- Suspends a running run of a stopped workspace. First resets the calls that the operation p_op began to `ready`. The
-- caller guarantees that it has not sent these calls. If other calls of the same claim are running, the run stays with
-- its worker. The worker releases the run when these calls have ended. Calls of an earlier claim do not delay the
-- suspension.
create or replace function run_machine.suspend_when_idle(p_run text, p_op uuid) returns void
language plpgsql volatile as $$
begin
  update run_steps s set state = 'ready' where s.run_id = p_run and s.op = p_op and s.state = 'started';
  perform from run_steps s join runs r on r.id = s.run_id
   where s.run_id = p_run and s.state = 'started' and s.attempt = r.attempt;
  if not found then
    perform run_machine.suspend(p_run);
  end if;
end $$;
