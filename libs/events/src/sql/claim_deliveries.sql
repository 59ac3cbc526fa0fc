-- Claims up to p_limit due deliveries for a sender, and returns the data that the sender needs to send them. For
-- p_lease_ms, only this sender may send them. After that, the sender counts as dead and other senders may claim them.
--
-- All senders together may make at most p_in_flight concurrent requests to an endpoint. If only one sender has claims
-- for the endpoint, it may claim up to p_depth deliveries and limits its own requests to p_in_flight. If several
-- senders have claims for the endpoint, they may claim at most p_in_flight deliveries in total. If the last attempt at
-- the endpoint failed, only one of its deliveries is claimed at a time.
create or replace function events.claim_deliveries(
  p_sender text, p_limit integer, p_lease_ms integer, p_in_flight integer, p_depth integer
) returns table (
  id text, workspace_id text, endpoint_id text, event_id text, event_type text, occurred_at timestamptz, snapshot json,
  attempts integer, url text, secret bytea, previous_secret bytea, previous_secret_expires_at timestamptz
)
language plpgsql volatile
-- Forces plain index scans. They mark the index entries of dead rows, so that later scans skip them. Any other scan
-- would read all rows that died since the last vacuum.
set enable_seqscan = off set enable_bitmapscan = off as $$
#variable_conflict use_column
declare
  v_endpoints text[];
  -- The time is stored in a variable. With a volatile function call in the condition, Postgres could not use the index
  -- and would read all waiting deliveries.
  v_now timestamptz := clock_timestamp();
begin
  -- Locks the endpoints in a separate statement, so that the claim below sees the claims of earlier lock holders. Locks
  -- at most p_limit endpoints that can take more claims, in the order of their oldest due delivery. Skips endpoints
  -- that another sender has locked.
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
    -- Deletes expired claims. If the senders of these claims report results later, the results are ignored.
    lost as (delete from webhook_claims c where c.endpoint_id = any (v_endpoints) and c.until <= v_now),
    claimed as (
      insert into webhook_claims (endpoint_id, sender, until, workspace_id, deliveries)
        select d.endpoint_id, p_sender, v_now + p_lease_ms * interval '1 millisecond', d.workspace_id, array_agg(d.id)
          from due d group by d.endpoint_id, d.workspace_id)
    select d.id, d.workspace_id, d.endpoint_id, d.event_id, d.event_type, m.occurred_at::timestamptz, m.snapshot,
        d.attempts, e.url, e.secret, e.previous_secret, e.previous_secret_expires_at::timestamptz
      from due x join webhook_deliveries d on d.id = x.id join webhook_endpoints e on e.id = x.endpoint_id
        join webhook_messages m on m.event_id = d.event_id;
end $$;

-- Returns the endpoints that have pending deliveries. Jumps from one endpoint to the next in the index, so the cost
-- does not depend on the number of pending deliveries of an endpoint.
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

-- Returns the due deliveries of an endpoint that the sender may claim, oldest first. Claimed deliveries are excluded by
-- a condition and not by a join, so that the query reads only the claimed and the returned rows.
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
