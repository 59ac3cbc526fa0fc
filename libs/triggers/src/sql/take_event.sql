-- Commits the decision about an event. All events with the same key start at most one run. The same commit logs the
-- trigger event for the verdicts started, duplicate, filtered, refused, error, conflict and rate_limited. The other
-- verdicts write nothing.
--
-- p_call     {event, workspace, agent, trigger, type, version, by_hand, decision, reason, errors, key, fingerprint,
--            keep_ms, secret, run, mode, run_trigger, input, labels, files, initiator, currency, limits}
--   event        id of the new trigger event
--   trigger      id of the trigger in the definition
--   version      if it is no longer in production, nothing is written and the verdict is version_changed
--   by_hand      a person requested the run, so it starts even if the agent is paused
--   decision     start | filtered | refused | error, as the trigger of `version` decides. If the queue is full, it is
--                rate_limited.
--   reason, errors
--                the reason and the list of invalid places, for people; null if there are none
--   key          null if repeated events are not recognised
--   fingerprint  bytea text; a repeated event must have the same fingerprint; null allows any
--   keep_ms      time in milliseconds for which a repeated event is recognised; null means forever
--   secret       SHA-256 of the webhook secret that the sender used, as bytea text; null if no secret is needed
--   run_trigger  the member `trigger` of the call of create_run
-- For `run` and the members after `run_trigger`, see create_run. They are null unless the decision is start.
--
-- verdict: started | duplicate (run_id is null if the event started no run) | key_reused | filtered | refused | error |
-- rate_limited | conflict (the concurrency limit is reached) | secret_changed | not_found | archived | stopped | paused
-- | version_changed (with the production version)
create or replace function triggers.take_event(p_call jsonb)
returns table (verdict text, run_id text, version integer, created_at timestamptz)
language plpgsql volatile as $$
declare
  c record;
  agent record;
  v_stop record;
  receipt trigger_receipts%rowtype;
  created record;
begin
  select * into c from jsonb_to_record(p_call) as x(event text, workspace text, agent text, trigger text, type text, version integer,
    by_hand boolean, decision text, reason text, errors jsonb, key text, fingerprint bytea, keep_ms bigint, secret bytea, run text);
  select a.status, a.production_version, c.secret is null or a.webhook_secret_hash = c.secret
      or (a.previous_webhook_secret_hash = c.secret and a.previous_webhook_secret_expires_at > clock_timestamp())
      or exists (select from former_secrets f where f.owner_id = a.id and f.hash = c.secret and f.expires_at > clock_timestamp())
      as is_authentic
    into agent from agents a where a.id = c.agent and a.workspace_id = c.workspace;
  if not found then
    return query select 'not_found', null::text, null::integer, null::timestamptz;
    return;
  elsif not coalesce(agent.is_authentic, false) then
    return query select 'secret_changed', null::text, null::integer, null::timestamptz;
    return;
  end if;

  -- A repeated event gets the earlier decision, even if the agent has changed since.
  if c.key is not null then
    select * into receipt from trigger_receipts r
     where r.agent_id = c.agent and r.key = c.key and r.expires_at > clock_timestamp();
    if found then
      return query select d.verdict, d.run_id, null::integer, null::timestamptz
        from triggers.repeated_event(receipt, c.event, c.trigger, c.type, c.fingerprint) d;
      return;
    end if;
  end if;

  v_stop := workspace.stop_lock(c.workspace);
  if agent.status = 'archived' then
    return query select 'archived', null::text, null::integer, null::timestamptz;
    return;
  elsif v_stop.state <> 'active' then
    return query select 'stopped', null::text, null::integer, null::timestamptz;
    return;
  elsif agent.status = 'paused' and not c.by_hand then
    return query select 'paused', null::text, null::integer, null::timestamptz;
    return;
  elsif agent.production_version <> c.version then
    return query select 'version_changed', null::text, agent.production_version, null::timestamptz;
    return;
  end if;

  -- An item of a poll that does not fit the input counts as seen. Any other sender may correct the event and repeat it.
  if c.key is not null and (c.decision in ('start', 'filtered') or c.type = 'poll' and c.decision in ('refused', 'error')) then
    -- If the same event arrives concurrently, the second transaction waits here until the first has committed.
    insert into trigger_receipts as r (agent_id, key, workspace_id, fingerprint, run_id, expires_at)
      values (c.agent, c.key, c.workspace, c.fingerprint, case when c.decision = 'start' then c.run end,
        coalesce(clock_timestamp() + c.keep_ms * interval '1 millisecond', 'infinity'))
      on conflict on constraint trigger_receipts_pk do update
        set fingerprint = excluded.fingerprint, run_id = excluded.run_id, expires_at = excluded.expires_at
        where r.expires_at <= clock_timestamp();
    if not found then
      select * into receipt from trigger_receipts r where r.agent_id = c.agent and r.key = c.key;
      return query select d.verdict, d.run_id, null::integer, null::timestamptz
        from triggers.repeated_event(receipt, c.event, c.trigger, c.type, c.fingerprint) d;
      return;
    end if;
  end if;

  if c.decision = 'start' then
    select * into created from run_machine.create_run(p_call || jsonb_build_object('pinned', false, 'trigger', p_call -> 'run_trigger',
      'endpoint', null, 'key', null, 'fingerprint', null));
    if created.verdict <> 'created' then
      -- Without a run, nothing was decided, so the sender may repeat the event.
      delete from trigger_receipts r where r.agent_id = c.agent and r.key = c.key;
    end if;
    if created.verdict = 'conflict' then
      perform triggers.log_trigger_event(c.event, c.workspace, c.agent, c.trigger, c.type, 'rate_limited',
        'The agent has as many runs as its `concurrency` allows.', null, c.version, null, c.key);
    elsif created.verdict = 'created' then
      perform triggers.log_trigger_event(c.event, c.workspace, c.agent, c.trigger, c.type, 'started', null, null, c.version,
        c.run, c.key);
    end if;
    return query select case when created.verdict = 'created' then 'started' else created.verdict end,
      created.run_id, created.version, created.created_at;
    return;
  end if;

  -- The decision rate_limited is logged at most once a minute for each agent.
  if c.decision <> 'rate_limited' or not exists (
    select from (select e.created_at from trigger_events e where e.agent_id = c.agent and e.outcome = 'rate_limited'
       order by e.id desc limit 1) last
     where last.created_at > clock_timestamp() - interval '1 minute')
  then
    perform triggers.log_trigger_event(c.event, c.workspace, c.agent, c.trigger, c.type, c.decision, c.reason, c.errors,
      c.version, null, c.key);
  end if;
  return query select c.decision, null::text, c.version, null::timestamptz;
end $$;

-- Calls take_event for several events in one commit. p_calls is a JSON array with the parameter of each call. In the
-- result, `call` is the position in this array, starting at 1. The result omits events of a workspace that is being
-- stopped, and events with reject_conflict. The caller passes omitted events to take_event one by one. Events are
-- processed in the order of their agents and keys, so that two batches with the same keys cannot deadlock.
create or replace function triggers.take_event_batch(p_calls jsonb)
returns table (call integer, verdict text, run_id text, version integer, created_at timestamptz)
language plpgsql volatile set lock_timeout = '50ms' as $$
declare
  c record;
begin
  for c in
    select x.position::integer as position, x.workspace, x.call
      from rows from (jsonb_to_recordset(p_calls) as (workspace text, agent text, key text, limits jsonb), jsonb_array_elements(p_calls))
        with ordinality as x(workspace, agent, key, limits, call, position)
     where not coalesce((x.limits ->> 'reject_conflict')::boolean, false)
     order by x.agent, x.key, x.position
  loop
    continue when not workspace.try_stop_lock(c.workspace);
    return query select c.position, t.* from triggers.take_event(c.call) t;
  end loop;
end $$;

create or replace function triggers.repeated_event(
  p_receipt trigger_receipts, p_event text, p_trigger text, p_type text, p_fingerprint bytea,
  out verdict text, out run_id text
) language plpgsql volatile as $$
begin
  if p_receipt.fingerprint <> p_fingerprint then
    verdict := 'key_reused';
    return;
  end if;
  verdict := 'duplicate';
  run_id := p_receipt.run_id;
  perform triggers.log_trigger_event(p_event, p_receipt.workspace_id, p_receipt.agent_id, p_trigger, p_type, 'duplicate',
    null, null, null, p_receipt.run_id, p_receipt.key);
end $$;
