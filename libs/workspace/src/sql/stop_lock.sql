-- Orders the caller's transaction before or after any emergency stop of the workspace, and returns the state of the
-- workspace.
-- The lock is held in shared mode until COMMIT. The stop takes the same lock exclusively.
-- The function has two statements on purpose. In READ COMMITTED, a statement reads the data as of its start, even if it
-- then waits for a lock. A single statement that takes the lock and reads the row could return the state from before
-- the stop.
create or replace function workspace.stop_lock(p_workspace text, out state text, out epoch bigint)
language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('workspace:' || p_workspace, 0));
  select w.state, w.epoch into state, epoch from workspaces w where w.id = p_workspace;
end $$;

-- Takes the stop lock in shared mode, unless a stop holds the lock or waits for it. Returns whether the lock was taken.
create or replace function workspace.try_stop_lock(p_workspace text) returns boolean
language sql volatile as $$
  select pg_try_advisory_xact_lock_shared(hashtextextended('workspace:' || p_workspace, 0))
$$;
