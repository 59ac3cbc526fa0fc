-- A batch carries out several calls in one commit. If it held the locks of one call while it waits for those of
-- another, other transactions, such as a stop, would wait for it. So a batch does not wait: it leaves out calls that
-- would have to wait, and the caller makes those one by one after it. The lock_timeout of a batch is 50 ms; it covers
-- a key that another process inserts. After a timeout the caller makes all calls of the batch one by one.

-- Tries to take the stop lock of the workspace (null: not needed) and the row lock of the run. True if it has both.
create or replace function run_machine.try_lock_run(p_run text, p_workspace text) returns boolean
language plpgsql volatile as $$
begin
  if p_workspace is not null and not workspace.try_stop_lock(p_workspace) then return false; end if;
  perform from runs r where r.id = p_run for no key update skip locked;
  return found;
end $$;
