-- Batches carry out several calls in one commit. Whoever holds the locks of one call and waits for those of another can be waited
-- for in turn, also by a stop. So a batch waits for nobody: calls that would have to wait are left out, and made one by one after it.
-- What nobody thought of here, and the same key in another process, it waits for no longer than its lock_timeout of 50 ms, after which all
-- of its calls are made one by one.

-- Takes the fence of the workspace, unless a stop has it or waits for it: true when it was taken.
create or replace function run_machine.fence_at_once(p_workspace text) returns boolean
language sql volatile as $$
  select pg_try_advisory_xact_lock_shared(hashtextextended('workspace:' || p_workspace, 0))
$$;

-- Takes the fence of the workspace (null: none is needed) and the row lock of the run, unless somebody else has either: true when it
-- has both.
create or replace function run_machine.lock_at_once(p_run text, p_workspace text) returns boolean
language plpgsql volatile as $$
begin
  if p_workspace is not null and not run_machine.fence_at_once(p_workspace) then return false; end if;
  perform from runs r where r.id = p_run for no key update skip locked;
  return found;
end $$;
