-- Batches carry out several calls in one commit. Whoever holds the locks of one call and waits for those of another can be waited
-- for in turn, also by a stop. So a batch waits for nobody: calls that would have to wait are left out, and made one by one after it.
-- What nobody thought of here, and the same key in another process, it waits for no longer than its lock_timeout of 50 ms, after which all
-- of its calls are made one by one.

-- Takes the stop lock of the workspace (null: none is needed) and the row lock of the run, unless somebody else has either: true when it
-- has both.
create or replace function run_machine.try_lock_run(p_run text, p_workspace text) returns boolean
language plpgsql volatile as $$
begin
  if p_workspace is not null and not workspace.try_stop_lock(p_workspace) then return false; end if;
  perform from runs r where r.id = p_run for no key update skip locked;
  return found;
end $$;
