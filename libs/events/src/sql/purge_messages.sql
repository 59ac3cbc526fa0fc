-- Forgets up to p_limit messages about events before p_before (an event id; ids sort by time), and what became of them
-- at each endpoint, and claims that have been over for long. A delivery that is still to be made keeps its message. How
-- many messages were looked at: fewer than p_limit is all.
create or replace function events.purge_messages(p_before text, p_limit integer) returns integer
language plpgsql volatile as $$
declare
  v_old text[];
begin
  -- Claims of senders that have died, at endpoints that have been owed nothing since.
  delete from webhook_claims c where c.until < clock_timestamp() - interval '1 hour';
  select array_agg(x.event_id) into v_old from (
    select m.event_id from webhook_messages m
     where m.event_id < p_before
       and not exists (select from webhook_deliveries d where d.event_id = m.event_id and d.status = 'pending')
     order by m.event_id limit p_limit for update skip locked) x;
  if v_old is null then return 0; end if;
  -- Somebody may ask for a retry at this moment: what is pending by now stays, and its message with it.
  delete from webhook_deliveries d where d.event_id = any (v_old) and d.status <> 'pending';
  delete from webhook_messages m where m.event_id = any (v_old)
    and not exists (select from webhook_deliveries d where d.event_id = m.event_id);
  return cardinality(v_old);
end $$;
