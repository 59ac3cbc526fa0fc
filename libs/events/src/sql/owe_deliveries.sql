-- Whoever writes an event owes it to the endpoints that have subscribed to it: the trigger makes both one commit,
-- whatever code it is that writes events. It is deferred to the end of the transaction, so that a message tells what
-- the whole commit makes true. Costs one look into an index where a workspace has no endpoint.
create or replace function events.owe_deliveries() returns trigger
language plpgsql volatile as $$
declare
  v_endpoints text[];
  v_is_waited_for boolean;
  -- A value, so that the index is asked for what is due, and not all that waits for its next attempt is read.
  v_now timestamptz := clock_timestamp();
begin
  select array_agg(e.id) into v_endpoints from webhook_endpoints e
   where e.workspace_id = new.workspace_id and e.status = 'enabled'
     and case new.type
       when 'webhook.test' then e.id = new.data ->> 'endpoint'
       -- Events that are about no agent go to endpoints for some agents as well.
       else new.type = any (e.events) and coalesce(new.data ->> 'agent' = any (e.agents), true) end;
  if v_endpoints is null then return null; end if;
  -- With one due already somebody has been called, or looks again before long; and commits that notify wait for each
  -- other. What a sender has already stands among what is due; nobody looks again because of it.
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

-- Replacing a trigger locks its table, so that it is created only where it is missing; its function is replaced above.
do $$ begin
  if not exists (select from pg_trigger where tgname = 'events_owe_deliveries' and tgfoid = 'events.owe_deliveries'::regproc) then
    drop trigger if exists events_owe_deliveries on events;
    create constraint trigger events_owe_deliveries after insert on events
      deferrable initially deferred for each row execute function events.owe_deliveries();
  end if;
end $$;
