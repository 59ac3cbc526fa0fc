-- Deletes up to p_limit audit events from before the monthly partitions, whose id is below p_before (ids sort by time).
-- Returns the number of deleted events. drop_months deletes all other events with their partition.
create or replace function workspace.purge_audit_events(p_before text, p_limit integer) returns integer
language plpgsql volatile as $$
declare
  v_forgotten integer;
begin
  delete from audit_events_before a using (
      select o.id from audit_events_before o where o.id < p_before order by o.id limit p_limit for update skip locked) old
   where a.id = old.id;
  get diagnostics v_forgotten = row_count;
  return v_forgotten;
end $$;
