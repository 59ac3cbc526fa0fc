-- Suspends due runs of stopped workspaces, so that pollers do not read them. A resume makes them due again. The
-- function examines only the p_limit runs that have been due the longest, so its cost does not depend on the number of
-- due runs.
create or replace function run_machine.defer_stopped_runs(p_limit integer) returns integer
language plpgsql volatile as $$
declare
  v_parked integer;
begin
  perform from workspaces w where w.state = 'stopped' limit 1;
  if not found then return 0; end if;
  with front as materialized (
    select f.id, f.workspace_id from runs f where f.status = 'queued' and f.wake_at <= statement_timestamp() order by f.wake_at limit p_limit),
  held as materialized (
    select q.id from front join workspaces w on w.id = front.workspace_id and w.state = 'stopped' join runs q on q.id = front.id
     where q.status = 'queued' and q.wake_at <= clock_timestamp()
     for no key update of q skip locked)
  update runs r set wake_at = 'infinity' from held where r.id = held.id;
  get diagnostics v_parked = row_count;
  return v_parked;
end $$;
