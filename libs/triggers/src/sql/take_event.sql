-- Commits the decision about an event. All events with the same key start at most one run. The same commit logs the
-- trigger event for the verdicts started, duplicate, filtered, refused, error, conflict and rate_limited. The other
-- verdicts write nothing.
--
-- p_decision: start | filtered | refused | error, as the trigger of p_version decides. If the queue is full, it is
-- rate_limited.
-- p_reason, p_errors: the reason and the invalid places, for people.
-- p_version: if it is no longer in production, nothing is written and the verdict is version_changed.
-- p_key: null if repeated events are not recognised.
-- p_fingerprint: a repeated event must have the same fingerprint; null allows any.
-- p_keep_ms: time for which a repeated event is recognised; null means forever.
-- p_secret: SHA-256 of the webhook secret that the sender used; null if no secret is needed.
-- p_by_hand: a person requested the run, so it starts even if the agent is paused.
-- For p_run and the parameters after it see create_run.
--
-- verdict: started | duplicate (run_id is null if the event started no run) | key_reused | filtered | refused | error |
-- rate_limited | conflict (the concurrency limit is reached) | secret_changed | not_found | archived | stopped | paused
-- | version_changed (with the production version)
create or replace function triggers.take_event(
  p_event text, p_workspace text, p_agent text, p_trigger text, p_type text, p_version integer, p_by_hand boolean,
  p_decision text, p_reason text, p_errors jsonb,
  p_key text, p_fingerprint bytea, p_keep_ms bigint, p_secret bytea,
  p_run text, p_mode text, p_run_trigger jsonb, p_input jsonb, p_labels jsonb, p_initiator text, p_currency text, p_limits jsonb
) returns table (verdict text, run_id text, version integer, created_at timestamptz)
language plpgsql volatile as $$
declare
  agent record;
  v_stop record;
  receipt trigger_receipts%rowtype;
  created record;
begin
  select a.status, a.production_version, p_secret is null or a.webhook_secret_hash = p_secret
      or (a.previous_webhook_secret_hash = p_secret and a.previous_webhook_secret_expires_at > clock_timestamp())
      or exists (select from former_secrets f where f.owner_id = a.id and f.hash = p_secret and f.expires_at > clock_timestamp())
      as is_authentic
    into agent from agents a where a.id = p_agent and a.workspace_id = p_workspace;
  if not found then
    return query select 'not_found', null::text, null::integer, null::timestamptz;
    return;
  elsif not coalesce(agent.is_authentic, false) then
    return query select 'secret_changed', null::text, null::integer, null::timestamptz;
    return;
  end if;

  -- A repeated event gets the earlier decision, even if the agent has changed since.
  if p_key is not null then
    select * into receipt from trigger_receipts r
     where r.agent_id = p_agent and r.key = p_key and r.expires_at > clock_timestamp();
    if found then
      return query select d.verdict, d.run_id, null::integer, null::timestamptz
        from triggers.repeated_event(receipt, p_event, p_trigger, p_type, p_fingerprint) d;
      return;
    end if;
  end if;

  v_stop := workspace.stop_lock(p_workspace);
  if agent.status = 'archived' then
    return query select 'archived', null::text, null::integer, null::timestamptz;
    return;
  elsif v_stop.state <> 'active' then
    return query select 'stopped', null::text, null::integer, null::timestamptz;
    return;
  elsif agent.status = 'paused' and not p_by_hand then
    return query select 'paused', null::text, null::integer, null::timestamptz;
    return;
  elsif agent.production_version <> p_version then
    return query select 'version_changed', null::text, agent.production_version, null::timestamptz;
    return;
  end if;

  -- A poll item that does not fit the input counts as seen, so its key is stored. Any other sender may correct and
  -- repeat the event.
  if p_key is not null and (p_decision in ('start', 'filtered') or p_type = 'poll' and p_decision in ('refused', 'error')) then
    -- If the same event arrives concurrently, the second transaction waits here until the first has committed.
    insert into trigger_receipts as r (agent_id, key, workspace_id, fingerprint, run_id, expires_at)
      values (p_agent, p_key, p_workspace, p_fingerprint, case when p_decision = 'start' then p_run end,
        coalesce(clock_timestamp() + p_keep_ms * interval '1 millisecond', 'infinity'))
      on conflict on constraint trigger_receipts_pk do update
        set fingerprint = excluded.fingerprint, run_id = excluded.run_id, expires_at = excluded.expires_at
        where r.expires_at <= clock_timestamp();
    if not found then
      select * into receipt from trigger_receipts r where r.agent_id = p_agent and r.key = p_key;
      return query select d.verdict, d.run_id, null::integer, null::timestamptz
        from triggers.repeated_event(receipt, p_event, p_trigger, p_type, p_fingerprint) d;
      return;
    end if;
  end if;

  if p_decision = 'start' then
    select * into created from run_machine.create_run(p_run, p_workspace, p_agent, p_version, false, p_mode, p_run_trigger,
      p_input, p_labels, p_initiator, p_currency, null, null, null, p_limits);
    if created.verdict <> 'created' then
      -- No run was created, so the event is not decided, and the sender may repeat it.
      delete from trigger_receipts r where r.agent_id = p_agent and r.key = p_key;
    end if;
    if created.verdict = 'conflict' then
      perform triggers.log_trigger_event(p_event, p_workspace, p_agent, p_trigger, p_type, 'rate_limited',
        'The agent has as many runs as its `concurrency` allows.', null, p_version, null, p_key);
    elsif created.verdict = 'created' then
      perform triggers.log_trigger_event(p_event, p_workspace, p_agent, p_trigger, p_type, 'started', null, null, p_version,
        p_run, p_key);
    end if;
    return query select case when created.verdict = 'created' then 'started' else created.verdict end,
      created.run_id, created.version, created.created_at;
    return;
  end if;

  -- The decision rate_limited is logged at most once a minute for each agent.
  if p_decision <> 'rate_limited' or not exists (
    select from (select e.created_at from trigger_events e where e.agent_id = p_agent and e.outcome = 'rate_limited'
       order by e.id desc limit 1) last
     where last.created_at > clock_timestamp() - interval '1 minute')
  then
    perform triggers.log_trigger_event(p_event, p_workspace, p_agent, p_trigger, p_type, p_decision, p_reason, p_errors,
      p_version, null, p_key);
  end if;
  return query select p_decision, null::text, p_version, null::timestamptz;
end $$;

-- Calls take_event for several events in one commit. Each parameter is an array. call is the position in the arrays,
-- starting at 1. The result omits events of a workspace that is being stopped, and events with reject_conflict. The
-- caller passes omitted events to take_event one by one. Events are processed in the order of their agents and keys, so
-- that two batches with the same keys cannot deadlock.
create or replace function triggers.take_event_batch(
  p_events text[], p_workspaces text[], p_agents text[], p_triggers text[], p_types text[], p_versions integer[], p_by_hand boolean[],
  p_decisions text[], p_reasons text[], p_errors jsonb[],
  p_keys text[], p_fingerprints bytea[], p_keep_ms bigint[], p_secrets bytea[],
  p_runs text[], p_modes text[], p_run_triggers jsonb[], p_inputs jsonb[], p_labels jsonb[], p_initiators text[], p_currencies text[],
  p_limits jsonb[]
) returns table (call integer, verdict text, run_id text, version integer, created_at timestamptz)
language plpgsql volatile set lock_timeout = '50ms' as $$
declare
  i integer;
begin
  for i in select n from generate_subscripts(p_events, 1) n order by p_agents[n], p_keys[n], n loop
    continue when (p_limits[i] ->> 'reject_conflict')::boolean or not workspace.try_stop_lock(p_workspaces[i]);
    return query select i, t.* from triggers.take_event(p_events[i], p_workspaces[i], p_agents[i], p_triggers[i], p_types[i],
      p_versions[i], p_by_hand[i], p_decisions[i], p_reasons[i], p_errors[i], p_keys[i], p_fingerprints[i], p_keep_ms[i],
      p_secrets[i], p_runs[i], p_modes[i], p_run_triggers[i], p_inputs[i], p_labels[i], p_initiators[i], p_currencies[i],
      p_limits[i]) t;
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
