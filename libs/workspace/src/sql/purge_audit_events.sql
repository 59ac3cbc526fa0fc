-- Forgets up to p_limit lines of the audit log from before p_before (ids sort by time), of those that are older than its months;
-- how many it was. The others go with their month: drop_months.
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
