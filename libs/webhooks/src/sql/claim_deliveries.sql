-- Hands up to p_limit due deliveries to a sender, with all that it needs to send them. They are its for p_lease_ms; after that
-- others may claim them, because it is taken for dead.
--
-- An endpoint may be sent p_in_flight requests at the same time, by all senders together: either one sender has all of its
-- claimed deliveries (up to p_depth, and keeps to the limit itself), or no more than p_in_flight of them are claimed. One whose
-- last attempt failed gets one at a time.
create or replace function webhooks.claim_deliveries(
  p_sender text, p_limit integer, p_lease_ms integer, p_in_flight integer, p_depth integer
) returns table (
  id text, workspace_id text, endpoint_id text, event_id text, attempts integer, url text, body text, secret bytea,
  previous_secret bytea, previous_secret_expires_at timestamptz
)
language plpgsql volatile as $$
declare
  v_endpoints text[];
  -- A value, not a call in its place: that could not be looked up in the index, and all that waits would be read.
  v_now timestamptz := clock_timestamp();
begin
  -- The lock first and the counting in a statement of its own, which sees what the last holder of the lock has claimed.
  -- Another sender that is at it makes this one look elsewhere. No more endpoints than deliveries, those first that have
  -- waited longest and have room: however many there are, a claim locks few of them, and full ones keep nobody out.
  select array_agg(x.id) into v_endpoints from (
    select e.id from webhooks.waiting_endpoints() w join webhook_endpoints e on e.id = w.id
      cross join lateral (select d.next_at from webhook_deliveries d
        where d.endpoint_id = e.id and d.status = 'pending' and d.next_at <= v_now order by d.next_at limit 1) first
     where e.status = 'enabled' and webhooks.room(e, p_sender, v_now, p_in_flight, p_depth) > 0
     order by first.next_at limit p_limit
     for no key update of e skip locked) x;
  if v_endpoints is null then return; end if;
  v_now := clock_timestamp();
  return query
    with due as (
      select d.id from webhook_endpoints e
        cross join lateral (
          select d.id, d.next_at from webhook_deliveries d
           where d.endpoint_id = e.id and d.status = 'pending' and d.next_at <= v_now
           order by d.next_at
           limit webhooks.room(e, p_sender, v_now, p_in_flight, p_depth)) d
       where e.id = any (v_endpoints)
       order by d.next_at limit p_limit),
    claimed as (
      update webhook_deliveries d set claimed_by = p_sender, next_at = v_now + p_lease_ms * interval '1 millisecond'
        -- Only what is pending has a next_at. Its status is not asked for: the index of what is due would be read as a whole then.
        from due where d.id = due.id and d.next_at <= v_now
      returning d.id, d.workspace_id, d.endpoint_id, d.event_id, d.attempts)
    select c.id, c.workspace_id, c.endpoint_id, c.event_id, c.attempts, e.url, m.body, e.secret, e.previous_secret,
        e.previous_secret_expires_at::timestamptz
      from claimed c join webhook_endpoints e on e.id = c.endpoint_id join webhook_messages m on m.event_id = c.event_id;
end $$;

-- Endpoints that have pending deliveries, by jumping through the index from one endpoint to the next: however many deliveries
-- wait for one of them, it costs no more than another.
create or replace function webhooks.waiting_endpoints() returns table (id text)
language sql stable as $$
  with recursive waiting as (
    (select d.endpoint_id from webhook_deliveries d where d.status = 'pending' order by d.endpoint_id limit 1)
    union all
    select (select d.endpoint_id from webhook_deliveries d
             where d.status = 'pending' and d.endpoint_id > w.endpoint_id order by d.endpoint_id limit 1)
      from waiting w where w.endpoint_id is not null)
  select w.endpoint_id from waiting w where w.endpoint_id is not null
$$;

-- How many more deliveries of an endpoint a sender may claim. A plain scan of the index notes which of its entries are dead, and
-- later ones pass over them; a bitmap scan would read all that have been claimed since the last vacuum, every time.
create or replace function webhooks.room(
  p_endpoint webhook_endpoints, p_sender text, p_now timestamptz, p_in_flight integer, p_depth integer
) returns bigint
language sql stable set enable_bitmapscan = off as $$
  select greatest(0, case
      when p_endpoint.failing_since is not null then 1
      when count(*) filter (where d.claimed_by = p_sender) = count(*) then p_depth
      else p_in_flight end - count(*))
    from webhook_deliveries d
   where d.endpoint_id = p_endpoint.id and d.claimed_by is not null and d.next_at > p_now
$$;
