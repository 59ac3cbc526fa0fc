-- Records the results of deliveries that the sender has claimed. Ignores deliveries that the sender no longer has
-- claimed.
-- p_attempts: [{id, outcome, retry_in_ms, response_status, response_excerpt, latency_ms, error}]
-- outcome: delivered | retry (due again in retry_in_ms) | failed (not retried) | returned (not sent, due at once)
-- Returns the endpoints that failed in these attempts and have been failing for longer than p_patience.
create or replace function events.record_attempts(p_sender text, p_attempts jsonb, p_patience interval)
returns table (workspace_id text, endpoint_id text)
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off as $$
#variable_conflict use_column
declare
  v_locked text[];
begin
  -- Locks the endpoints in the order of their ids, so that two senders cannot deadlock. Locks only endpoints that fail
  -- or recover. Healthy endpoints stay unlocked, because a claim skips locked endpoints.
  select array_agg(x.id) into v_locked from (
    select e.id from webhook_endpoints e
     where e.id in (
       select d.endpoint_id from jsonb_to_recordset(p_attempts) as a(id text, outcome text)
         join webhook_deliveries d on d.id = a.id join webhook_endpoints x on x.id = d.endpoint_id
        where a.outcome in ('retry', 'failed') or (a.outcome = 'delivered' and x.failing_since is not null))
     order by e.id for no key update) x;
  return query
    with ended as (
      select a.*, d.endpoint_id from jsonb_to_recordset(p_attempts) as a(id text, outcome text, retry_in_ms bigint,
          response_status integer, response_excerpt text, latency_ms integer, error text)
        join webhook_deliveries d on d.id = a.id),
    claimed as (
      select c.endpoint_id, c.until, c.deliveries, array(
          select x.id from unnest(c.deliveries) as x(id) where x.id not in (select e.id from ended e)) as others
        from webhook_claims c
       where c.sender = p_sender and c.endpoint_id in (select e.endpoint_id from ended e)),
    over as (
      delete from webhook_claims c using claimed x
       where c.endpoint_id = x.endpoint_id and c.sender = p_sender and c.until = x.until and x.others = '{}'),
    remaining as (
      update webhook_claims c set deliveries = x.others from claimed x
       where c.endpoint_id = x.endpoint_id and c.sender = p_sender and c.until = x.until and x.others <> '{}'
         and x.others <> x.deliveries),
    recorded as (
      update webhook_deliveries d
         set status = case a.outcome when 'delivered' then 'delivered' when 'failed' then 'failed' else 'pending' end,
             next_at = case a.outcome
               when 'retry' then clock_timestamp() + a.retry_in_ms * interval '1 millisecond'
               when 'returned' then clock_timestamp() end,
             attempts = case a.outcome when 'returned' then d.attempts else d.attempts + 1 end,
             last_attempt_at = case a.outcome when 'returned' then d.last_attempt_at else clock_timestamp() end,
             response_status = case a.outcome when 'returned' then d.response_status else a.response_status end,
             response_excerpt = case a.outcome when 'returned' then d.response_excerpt else a.response_excerpt end,
             latency_ms = case a.outcome when 'returned' then d.latency_ms else a.latency_ms end,
             error = case a.outcome when 'returned' then d.error else a.error end
        from ended a
       -- Only pending deliveries have a next_at, so this condition selects them. With a condition on the status,
       -- Postgres would read the whole index of due deliveries.
       where d.id = a.id and d.next_at is not null and a.id in (select unnest(c.deliveries) from claimed c)
      returning d.endpoint_id, a.outcome),
    ends as (
      select r.endpoint_id, bool_or(r.outcome = 'delivered') as is_well from recorded r
       where r.outcome <> 'returned' group by r.endpoint_id),
    changed as (
      update webhook_endpoints e set failing_since = case when not x.is_well then clock_timestamp() end
        from ends x where e.id = x.endpoint_id and x.is_well = (e.failing_since is not null)
          -- Skips an endpoint that began to fail after the endpoints were locked, because locking it now could
          -- deadlock.
          and e.id = any (v_locked))
    select e.workspace_id, e.id from ends x join webhook_endpoints e on e.id = x.endpoint_id
     where not x.is_well and e.status = 'enabled' and e.failing_since < clock_timestamp() - p_patience;
end $$;

-- Cancels up to p_limit pending deliveries of disabled or deleted endpoints, except deliveries that a sender has
-- claimed. Returns the number of cancelled deliveries.
create or replace function events.cancel_unwanted(p_limit integer) returns integer
language sql volatile as $$
  with unwanted as (
    select d.id from events.waiting_endpoints() w
      left join webhook_endpoints e on e.id = w.id and e.status = 'enabled'
      cross join lateral (
        select d.id from webhook_deliveries d
         where d.endpoint_id = w.id and d.status = 'pending' and not events.is_claimed(w.id, d.id)
         limit p_limit for no key update skip locked) d
     where e.id is null limit p_limit),
  cancelled as (
    update webhook_deliveries d set status = 'cancelled', next_at = null
      from unwanted u where d.id = u.id returning 1)
  select count(*)::integer from cancelled
$$;

create or replace function events.is_claimed(p_endpoint text, p_delivery text) returns boolean
language sql stable as $$
  select exists (select from webhook_claims c
    where c.endpoint_id = p_endpoint and c.until > clock_timestamp() and p_delivery = any (c.deliveries))
$$;
