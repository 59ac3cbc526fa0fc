-- Deletes up to p_limit events with ids below p_before from audit_events_before, and returns their number. Ids sort by
-- time. This partition contains the events from before the first monthly partition. drop_months deletes the events of
-- the monthly partitions, because it drops whole partitions.
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
