-- Purges at most p_limit trigger events before p_before (an event id; ids sort by time), and returns their number.
-- Handles only events in no monthly partition, because drop_months drops monthly partitions as a whole. The statement
-- looks up the events of each agent by the primary key, so that no further index is needed.
create or replace function triggers.purge_trigger_events(p_before text, p_limit integer) returns integer
language plpgsql volatile as $$
declare
  v_purged integer;
begin
  delete from trigger_events_before e using (
      select o.agent_id, o.id from agents a cross join lateral (
          select t.agent_id, t.id from trigger_events_before t where t.agent_id = a.id and t.id < p_before order by t.id limit p_limit
            for update skip locked) o
       limit p_limit
    ) old
   where e.agent_id = old.agent_id and e.id = old.id;
  get diagnostics v_purged = row_count;
  return v_purged;
end $$;
