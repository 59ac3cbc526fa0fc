-- Purges up to p_limit messages of events before p_before (an event id; ids sort by time), with their deliveries. Keeps
-- messages with a pending delivery. Also deletes claims that expired more than an hour ago. Returns the number of
-- messages found; if it is less than p_limit, no more messages are left.
create or replace function events.purge_messages(p_before text, p_limit integer) returns integer
language plpgsql volatile as $$
declare
  v_old text[];
begin
  -- Deletes claims of dead senders. Usually the next claim for the endpoint has deleted them already.
  delete from webhook_claims c where c.until < clock_timestamp() - interval '1 hour';
  select array_agg(x.event_id) into v_old from (
    select m.event_id from webhook_messages m
     where m.event_id < p_before
       and not exists (select from webhook_deliveries d where d.event_id = m.event_id and d.status = 'pending')
     order by m.event_id limit p_limit for update skip locked) x;
  if v_old is null then return 0; end if;
  -- If a user has requested a retry since the messages were selected, the delivery is pending again. This delivery and
  -- its message are kept.
  delete from webhook_deliveries d where d.event_id = any (v_old) and d.status <> 'pending';
  delete from webhook_messages m where m.event_id = any (v_old)
    and not exists (select from webhook_deliveries d where d.event_id = m.event_id);
  return cardinality(v_old);
end $$;
