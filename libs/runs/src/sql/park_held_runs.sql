-- Moves runs that are due in stopped workspaces out of the range that pollers read. They were due, so resume makes them due.
create or replace function run_machine.park_held_runs(p_limit integer) returns integer
language plpgsql volatile as $$
declare
  v_parked integer;
begin
  update runs r set wake_at = 'infinity'
   where r.id in (
     select q.id from runs q join workspaces w on w.id = q.workspace_id and w.state = 'stopped'
      where q.status = 'queued' and q.wake_at <= clock_timestamp()
      limit p_limit for no key update of q skip locked);
  get diagnostics v_parked = row_count;
  return v_parked;
end $$;
