-- Changes a run from `running` to `queued`. No other function makes this change. The caller holds the row lock of the
-- run and has checked its owner.
create or replace function run_machine.requeue(p_run text, p_wake_at timestamptz) returns void
language sql volatile as $$
  update runs r
     set status = 'queued', worker_id = null, wake_at = p_wake_at, change_xid = run_machine.current_xid(),
         active_ms = r.active_ms + round(extract(epoch from clock_timestamp() - r.claimed_at) * 1000)
   where r.id = p_run and r.status = 'running'
$$;
