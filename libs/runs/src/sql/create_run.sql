-- Creates a run and commits it as `queued`. First checks that the workspace is not stopped and the agent is not
-- archived, and checks the version and the idempotency key. If the caller repeats a call with the same p_run after a
-- lost response, nothing changes.
--
-- The caller has validated the input against p_version. If p_pinned is false, p_version must still be the production
-- version of the agent. Otherwise, nothing is written, and the verdict is `version_changed` with the production
-- version, against which the caller must validate the input again.
--
-- p_limits: {queue_ttl_ms, concurrency_max, concurrency_key, concurrency_max_per_key, reject_conflict, head_start_ms,
-- traceparent, idempotency_ms, draft}, each optional.
--   reject_conflict  checks the concurrency limit; without it, the function does not take the lock of the limit
--   idempotency_ms   time in milliseconds for which p_key is valid, default one day
--   draft            the agent belongs to a draft run, so it is archived but may start this run
--
-- verdict: created | replayed | key_reused | stopped | not_found | archived | version_changed | version_unknown |
-- conflict (the concurrency limit is reached and the definition has on_conflict: reject)
create or replace function run_machine.create_run(
  p_run text, p_workspace text, p_agent text, p_version integer, p_pinned boolean, p_mode text,
  p_trigger jsonb, p_input jsonb, p_labels jsonb, p_initiator text, p_currency text,
  p_endpoint text, p_key text, p_fingerprint bytea, p_limits jsonb
) returns table (verdict text, run_id text, version integer, created_at timestamptz)
language plpgsql volatile as $$
declare
  v_stop record;
  agent record;
  stored record;
  v_kept interval;
begin
  if p_key is not null then
    v_kept := coalesce((p_limits ->> 'idempotency_ms')::bigint, 86400000) * interval '1 millisecond';
    select * into stored from workspace.used_idempotency_key(p_workspace, p_endpoint, p_key, p_fingerprint, v_kept);
    if found then
      return query select stored.verdict, stored.resource_id, null::integer, stored.created_at;
      return;
    end if;
  end if;

  v_stop := workspace.stop_lock(p_workspace);
  select a.status, a.production_version, a.draft_until is not null as is_draft, exists (
      select from agent_versions v where v.agent_id = a.id and v.version = p_version) as version_exists
    into agent from agents a where a.id = p_agent and a.workspace_id = p_workspace;
  if not found then
    return query select 'not_found', null::text, null::integer, null::timestamptz;
    return;
  elsif agent.status = 'archived' and not (agent.is_draft and coalesce((p_limits ->> 'draft')::boolean, false)) then
    return query select 'archived', null::text, null::integer, null::timestamptz;
    return;
  elsif v_stop.state <> 'active' then
    return query select 'stopped', null::text, null::integer, null::timestamptz;
    return;
  elsif not p_pinned and agent.production_version <> p_version then
    return query select 'version_changed', null::text, agent.production_version, null::timestamptz;
    return;
  elsif not agent.version_exists then
    return query select 'version_unknown', null::text, null::integer, null::timestamptz;
    return;
  elsif coalesce((p_limits ->> 'reject_conflict')::boolean, false) and run_machine.has_concurrency_conflict(p_agent, p_limits) then
    return query select 'conflict', null::text, null::integer, null::timestamptz;
    return;
  end if;

  if p_key is not null then
    select * into stored from workspace.claim_idempotency_key(p_workspace, p_endpoint, p_key, p_fingerprint, p_run, v_kept);
    if found then
      return query select stored.verdict, stored.resource_id, null::integer, stored.created_at;
      return;
    end if;
  end if;

  -- A queued run always has a wake time, so a poller finds it even if its job is lost.
  insert into runs (id, workspace_id, agent_id, version, mode, trigger, input, labels, initiator, currency, wake_at,
      queue_deadline, concurrency_max, concurrency_key, concurrency_max_per_key, traceparent)
    values (p_run, p_workspace, p_agent, p_version, p_mode, p_trigger, p_input, p_labels, p_initiator, p_currency,
      -- The head start moves the wake time into the past, so that a workspace with a backlog does not delay other
      -- workspaces (FairShares).
      clock_timestamp() - coalesce((p_limits ->> 'head_start_ms')::bigint, 0) * interval '1 millisecond',
      clock_timestamp() + (p_limits ->> 'queue_ttl_ms')::bigint * interval '1 millisecond',
      (p_limits ->> 'concurrency_max')::integer, p_limits ->> 'concurrency_key', (p_limits ->> 'concurrency_max_per_key')::integer,
      p_limits ->> 'traceparent')
    on conflict on constraint runs_pk do nothing;
  return query select 'created', r.id, r.version, r.created_at::timestamptz from runs r where r.id = p_run;
end $$;

-- Executes several calls of create_run in one commit (see try_lock_run.sql). In addition to the calls that would have
-- to wait, the result omits calls that must check the concurrency limit. If another process is inserting the same
-- idempotency key, the function waits for this process. It inserts the keys in sorted order to avoid deadlocks.
create or replace function run_machine.create_run_batch(
  p_runs text[], p_workspaces text[], p_agents text[], p_versions integer[], p_pinned boolean[], p_modes text[],
  p_triggers jsonb[], p_inputs jsonb[], p_labels jsonb[], p_initiators text[], p_currencies text[],
  p_endpoints text[], p_keys text[], p_fingerprints bytea[], p_limits jsonb[]
) returns table (call integer, verdict text, run_id text, version integer, created_at timestamptz)
language plpgsql volatile
set lock_timeout = '50ms' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_open text[] := run_machine.try_stop_locks(p_workspaces);
  v_plain integer[] := array(
    select c.position
      from unnest(p_workspaces, p_agents, p_versions, p_pinned, p_keys, p_limits) with ordinality
        as c(workspace, agent, version, pinned, key, limits, position)
      join workspaces w on w.id = c.workspace
      join agents a on a.id = c.agent and a.workspace_id = c.workspace
     where c.workspace = any (v_open) and w.state = 'active' and a.status <> 'archived'
       and (c.pinned or a.production_version = c.version)
       and exists (select from agent_versions v where v.agent_id = a.id and v.version = c.version)
       and c.key is null and not coalesce((c.limits ->> 'reject_conflict')::boolean, false));
  i integer;
begin
  if v_plain <> '{}' then
    insert into runs (id, workspace_id, agent_id, version, mode, trigger, input, labels, initiator, currency, wake_at,
        queue_deadline, concurrency_max, concurrency_key, concurrency_max_per_key, traceparent)
      select p_runs[c.i], p_workspaces[c.i], p_agents[c.i], p_versions[c.i], p_modes[c.i], p_triggers[c.i], p_inputs[c.i], p_labels[c.i],
        p_initiators[c.i], p_currencies[c.i],
        clock_timestamp() - coalesce((p_limits[c.i] ->> 'head_start_ms')::bigint, 0) * interval '1 millisecond',
        clock_timestamp() + (p_limits[c.i] ->> 'queue_ttl_ms')::bigint * interval '1 millisecond',
        (p_limits[c.i] ->> 'concurrency_max')::integer, p_limits[c.i] ->> 'concurrency_key',
        (p_limits[c.i] ->> 'concurrency_max_per_key')::integer, p_limits[c.i] ->> 'traceparent'
        from unnest(v_plain) as c(i)
       order by p_runs[c.i]
      on conflict on constraint runs_pk do nothing;
    return query select c.i, 'created', r.id, r.version, r.created_at::timestamptz from unnest(v_plain) as c(i) join runs r on r.id = p_runs[c.i];
  end if;
  for i in select n from generate_subscripts(p_runs, 1) n where n <> all (v_plain) order by p_workspaces[n], p_endpoints[n], p_keys[n], n loop
    continue when (p_limits[i] ->> 'reject_conflict')::boolean or p_workspaces[i] <> all (v_open);
    return query select i, c.* from run_machine.create_run(p_runs[i], p_workspaces[i], p_agents[i], p_versions[i], p_pinned[i],
      p_modes[i], p_triggers[i], p_inputs[i], p_labels[i], p_initiators[i], p_currencies[i], p_endpoints[i], p_keys[i],
      p_fingerprints[i], p_limits[i]) c;
  end loop;
end $$;
