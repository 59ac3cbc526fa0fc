-- Hands up to p_limit due deliveries to a sender, with all that it needs to send them. They are its for p_lease_ms;
-- after that others may claim them, because it is taken for dead.
--
-- An endpoint may be sent p_in_flight requests at the same time, by all senders together: either one sender has all of
-- its claimed deliveries (up to p_depth, and keeps to the limit itself), or no more than p_in_flight of them are
-- claimed. One whose last attempt failed gets one at a time.
create or replace function events.claim_due_deliveries(
  p_sender text, p_limit integer, p_lease_ms integer, p_in_flight integer, p_depth integer
) returns table (
  id text, workspace_id text, endpoint_id text, event_id text, event_type text, occurred_at timestamptz, snapshot json,
  body text, attempts integer, url text, secret bytea, previous_secret bytea, previous_secret_expires_at timestamptz
)
language plpgsql volatile
-- A plain scan of an index notes which of its entries are dead, and later ones pass over them; other scans would read
-- all that has come and gone since the last vacuum, every time.
set enable_seqscan = off set enable_bitmapscan = off as $$
#variable_conflict use_column
declare
  v_endpoints text[];
  -- A value, not a call in its place: that could not be looked up in the index, and all that waits would be read.
  v_now timestamptz := clock_timestamp();
begin
  -- The lock first and the counting in a statement of its own, which sees what the last holder of the lock has claimed.
  -- Another sender that is at it makes this one look elsewhere. No more endpoints than deliveries, those first that
  -- have waited longest and have room: however many there are, a claim locks few of them, and full ones keep nobody
  -- out.
  select array_agg(x.id) into v_endpoints from (
    select e.id from events.waiting_endpoints() w join webhook_endpoints e on e.id = w.id
      cross join lateral (
        select c.next_at from events.claimable(e.id, e.failing_since, p_sender, v_now, p_in_flight, p_depth) c limit 1) first
     where e.status = 'enabled'
     order by first.next_at limit p_limit
     for no key update of e skip locked) x;
  if v_endpoints is null then return; end if;
  v_now := clock_timestamp();
  return query
    with due as (
      select c.id, e.id as endpoint_id, e.workspace_id from webhook_endpoints e
        cross join lateral events.claimable(e.id, e.failing_since, p_sender, v_now, p_in_flight, p_depth) c
       where e.id = any (v_endpoints)
       order by c.next_at limit p_limit),
    -- Claims that are over: what their senders say of their deliveries does not count any more.
    lost as (delete from webhook_claims c where c.endpoint_id = any (v_endpoints) and c.until <= v_now),
    claimed as (
      insert into webhook_claims (endpoint_id, sender, until, workspace_id, deliveries)
        select d.endpoint_id, p_sender, v_now + p_lease_ms * interval '1 millisecond', d.workspace_id, array_agg(d.id)
          from due d group by d.endpoint_id, d.workspace_id)
    select d.id, d.workspace_id, d.endpoint_id, d.event_id, d.event_type, coalesce(m.occurred_at, d.created_at)::timestamptz, m.snapshot,
        m.body, d.attempts, e.url, e.secret, e.previous_secret, e.previous_secret_expires_at::timestamptz
      from due x join webhook_deliveries d on d.id = x.id join webhook_endpoints e on e.id = x.endpoint_id
        join webhook_messages m on m.event_id = d.event_id;
end $$;

-- Endpoints that have pending deliveries, by jumping through the index from one endpoint to the next: however many
-- deliveries wait for one of them, it costs no more than another.
create or replace function events.waiting_endpoints() returns table (id text)
language sql stable as $$
  with recursive waiting as (
    (select d.endpoint_id from webhook_deliveries d where d.status = 'pending' order by d.endpoint_id limit 1)
    union all
    select (select d.endpoint_id from webhook_deliveries d
             where d.status = 'pending' and d.endpoint_id > w.endpoint_id order by d.endpoint_id limit 1)
      from waiting w where w.endpoint_id is not null)
  select w.endpoint_id from waiting w where w.endpoint_id is not null
$$;

-- The due deliveries of an endpoint that a sender may claim, the oldest first, and no more than that. Those that are
-- claimed stand among the due ones: they are passed over in the index, not joined, so that no more is read than that
-- and what is wanted.
create or replace function events.claimable(
  p_endpoint text, p_failing_since timestamptz, p_sender text, p_now timestamptz, p_in_flight integer, p_depth integer
) returns table (id text, next_at timestamptz)
language sql stable as $$
  with claimed as materialized (
    select c.sender, x.id from webhook_claims c cross join unnest(c.deliveries) as x(id)
     where c.endpoint_id = p_endpoint and c.until > p_now)
  select d.id, d.next_at from webhook_deliveries d
   where d.endpoint_id = p_endpoint and d.status = 'pending' and d.next_at <= p_now
     and d.id not in (select x.id from claimed x)
   order by d.next_at
   limit (select greatest(0, case
       when p_failing_since is not null then 1
       when bool_and(x.sender = p_sender) is not false then p_depth
       else p_in_flight end - count(*)) from claimed x)
$$;
