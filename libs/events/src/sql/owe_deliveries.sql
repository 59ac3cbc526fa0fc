-- Creates one delivery of a new event for each subscribed endpoint, in the transaction that records the event. The
-- trigger runs at the end of the transaction, so that the snapshot shows the state of the whole commit. In a workspace
-- without endpoints, it costs one index lookup.
create or replace function events.owe_deliveries() returns trigger
language plpgsql volatile as $$
declare
  v_endpoints text[];
  v_is_waited_for boolean;
  -- The time is stored in a variable, so that Postgres can use the index and does not read deliveries that wait for a
  -- retry.
  v_now timestamptz := clock_timestamp();
begin
  select array_agg(e.id) into v_endpoints from webhook_endpoints e
   where e.workspace_id = new.workspace_id and e.status = 'enabled'
     and case new.type
       when 'webhook.test' then e.id = new.data ->> 'endpoint'
       -- Endpoints that receive only the events of some agents also receive the events that concern no agent.
       else new.type = any (e.events) and coalesce(new.data ->> 'agent' = any (e.agents), true) end;
  if v_endpoints is null then return null; end if;
  -- If another unclaimed delivery of these endpoints is due, no notification is sent: the senders were already notified
  -- or find that delivery when they poll. Fewer notifications are better, because commits that notify wait for each
  -- other. Claimed deliveries do not count, because no sender looks for them.
  v_is_waited_for := exists (select from webhook_deliveries d
    where d.endpoint_id = any (v_endpoints) and d.status = 'pending' and d.next_at <= v_now
      and not exists (select from webhook_claims c where c.endpoint_id = d.endpoint_id and d.id = any (c.deliveries)));
  insert into webhook_messages (event_id, workspace_id, occurred_at, snapshot)
    values (new.id, new.workspace_id, new.created_at, events.event_snapshot(new));
  insert into webhook_deliveries (id, workspace_id, endpoint_id, event_id, event_type)
    select platform.new_id('dlv'), new.workspace_id, e.id, new.id, new.type from unnest(v_endpoints) as e(id);
  if not v_is_waited_for then perform pg_notify('webhook_deliveries', ''); end if;
  return null;
end $$;

-- Creates the trigger only if it is missing, because replacing a trigger locks the table.
do $$ begin
  if not exists (select from pg_trigger where tgname = 'events_owe_deliveries' and tgfoid = 'events.owe_deliveries'::regproc) then
    drop trigger if exists events_owe_deliveries on events;
    create constraint trigger events_owe_deliveries after insert on events
      deferrable initially deferred for each row execute function events.owe_deliveries();
  end if;
end $$;
