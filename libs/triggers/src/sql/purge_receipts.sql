-- Purges at most p_limit expired receipts (keys of processed events). Returns the number of purged receipts.
create or replace function triggers.purge_receipts(p_limit integer) returns integer
language plpgsql volatile as $$
declare
  v_now timestamptz := clock_timestamp();
  v_purged integer;
begin
  delete from trigger_receipts r using (
      select o.agent_id, o.key from trigger_receipts o where o.expires_at <= v_now order by o.expires_at limit p_limit
        for update skip locked
    ) old
   where r.agent_id = old.agent_id and r.key = old.key;
  get diagnostics v_purged = row_count;
  return v_purged;
end $$;
