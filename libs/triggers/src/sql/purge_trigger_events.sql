-- Forgets at most p_limit lines of the trigger log from before p_before (an event id; ids sort by time), of those that are older
-- than its months; how many it was. The others go with their month: drop_months. Costs one look into an index for each agent, and
-- no index of its own, which every event that arrives would have to keep.
create or replace function triggers.purge_trigger_events(p_before text, p_limit integer) returns integer
language plpgsql volatile as $$
declare
  v_forgotten integer;
begin
  delete from trigger_events_before e using (
      select o.agent_id, o.id from agents a cross join lateral (
          select t.agent_id, t.id from trigger_events_before t where t.agent_id = a.id and t.id < p_before order by t.id limit p_limit
            for update skip locked) o
       limit p_limit
    ) old
   where e.agent_id = old.agent_id and e.id = old.id;
  get diagnostics v_forgotten = row_count;
  return v_forgotten;
end $$;
