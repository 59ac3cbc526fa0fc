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

-- Takes the stop lock exclusively. A stop must not depend on the length of another statement. If transactions hold the
-- lock for longer than a second, the function cancels their statements, and after another second it ends their
-- sessions. While a stop waits, no other transaction gets the lock, so only the transactions that already hold it
-- matter, and those that get it in the moment between two attempts.
create or replace function workspace.take_stop_lock(p_workspace text) returns void
language plpgsql volatile as $$
declare
  v_lock bigint := hashtextextended('workspace:' || p_workspace, 0);
  v_timeout text := current_setting('lock_timeout');
begin
  for v_attempt in 1..5 loop
    begin
      perform set_config('lock_timeout', '1s', true);
      perform pg_advisory_xact_lock(v_lock);
      perform set_config('lock_timeout', v_timeout, true);
      return;
    exception when lock_not_available then
      perform platform.end_blockers(platform.sharers_of(v_lock), v_attempt > 1);
    end;
  end loop;
  perform pg_advisory_xact_lock(v_lock);
end $$;
