-- Deletes up to p_limit entries that have expired, and returns their number. Does not delete entries that a run in mode
-- test wrote; purge_traces deletes them. Such an entry hides the stored entry with the same key from the run, and must
-- do so even after it has expired.
create or replace function run_machine.purge_state(p_limit integer) returns integer
language plpgsql volatile as $$
declare
  v_purged integer;
begin
  -- Skip locked rows: another transaction may be writing a later expiry time.
  delete from state_entries e
   using (select x.owner_id, x.run_id, x.key from state_entries x
           where x.expires_at < statement_timestamp() and x.run_id = ''
           order by x.expires_at limit p_limit for update skip locked) old
   where e.owner_id = old.owner_id and e.run_id = old.run_id and e.key = old.key;
  get diagnostics v_purged = row_count;
  return v_purged;
end $$;
