-- A batch executes several calls in one commit. If a batch held the locks of one call while it waits for the locks of
-- another call, other transactions, such as a stop, would have to wait for the batch. A batch therefore does not wait:
-- it omits calls that would have to wait, and the caller makes these calls one by one after the batch. Only an
-- idempotency key that another process is inserting can block a batch, so its lock_timeout is 50 ms. After a timeout,
-- the caller makes all calls of the batch one by one.

-- Tries to take the stop lock of the workspace (not needed if null) and the row lock of the run. Returns true if it has
-- taken both.
create or replace function run_machine.try_lock_run(p_run text, p_workspace text) returns boolean
language plpgsql volatile as $$
begin
  if p_workspace is not null and not workspace.try_stop_lock(p_workspace) then return false; end if;
  perform from runs r where r.id = p_run for no key update skip locked;
  return found;
end $$;
