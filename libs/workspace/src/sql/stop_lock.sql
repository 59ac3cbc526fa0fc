-- Orders the caller's transaction before or after any emergency stop of the workspace, and returns its state.
-- Held until COMMIT in shared mode; the stop takes the same lock exclusively.
-- Two statements on purpose: in READ COMMITTED a statement's snapshot is older than a lock wait inside that statement,
-- so reading the row together with the lock could still see the state from before the stop.
create or replace function workspace.stop_lock(p_workspace text, out state text, out epoch bigint)
language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('workspace:' || p_workspace, 0));
  select w.state, w.epoch into state, epoch from workspaces w where w.id = p_workspace;
end $$;

-- Takes the stop lock unless a stop holds it or waits for it. Returns whether it was taken.
create or replace function workspace.try_stop_lock(p_workspace text) returns boolean
language sql volatile as $$
  select pg_try_advisory_xact_lock_shared(hashtextextended('workspace:' || p_workspace, 0))
$$;
