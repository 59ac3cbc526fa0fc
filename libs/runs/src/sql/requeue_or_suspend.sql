-- Takes a running run from its worker. The run is due immediately. If its workspace is stopped, the run is suspended
-- instead. The caller holds the row lock of the run, has checked its owner, and passes whether the workspace is active.
create or replace function run_machine.requeue_or_suspend(p_run text, p_is_active boolean) returns void
language plpgsql volatile as $$
begin
  if p_is_active then
    perform run_machine.requeue(p_run, clock_timestamp());
  else
    perform run_machine.suspend(p_run);
  end if;
end $$;
