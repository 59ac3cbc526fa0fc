-- Gives a running run back to whoever comes next: it is due at once, or held until its stopped workspace goes on.
-- The caller holds the run's row lock, has checked the owner, and says how it found the workspace.
create or replace function run_machine.requeue_or_suspend(p_run text, p_is_active boolean) returns void
language plpgsql volatile as $$
begin
  if p_is_active then
    perform run_machine.requeue(p_run, clock_timestamp());
  else
    perform run_machine.suspend(p_run);
  end if;
end $$;
