-- Puts a running run back while its workspace is stopped. Intents of p_op go back to `ready`: their caller vouches that
-- they never began. While other calls of the run are under way it stays with its worker, who releases it after them.
create or replace function run_machine.hold(p_run text, p_op uuid) returns void
language plpgsql volatile as $$
begin
  update run_steps s set state = 'ready' where s.run_id = p_run and s.op = p_op and s.state = 'started';
  perform from run_steps s where s.run_id = p_run and s.state = 'started';
  if not found then
    perform run_machine.suspend(p_run);
  end if;
end $$;
