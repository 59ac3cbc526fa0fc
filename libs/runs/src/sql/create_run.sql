-- Creates a run and commits it as `queued`. First checks that the workspace is not stopped and the agent is not
-- archived, and checks the version and the idempotency key. If the caller repeats a call with the same `run` after a
-- lost response, nothing changes.
--
-- p_call     {run, workspace, agent, version, pinned, mode, trigger, input, labels, initiator, currency, endpoint, key,
--            fingerprint, limits, files}
--   run          id of the new run
--   version      the caller has validated `input` against this version
--   pinned       if false, `version` must still be the production version of the agent. Otherwise, nothing is written,
--                and the verdict is `version_changed` with the production version, against which the caller must
--                validate the input again.
--   initiator    the person who started the run; null if no person started it
--   currency     ISO 4217 code of the costs
--   endpoint, key, fingerprint
--                idempotency key, the endpoint for which it is valid, and the hash of the request as bytea text
--                (`\x616263`); null if the request has no key
--   files        the files to which the input refers (see files.refer); null if there are none
--   limits       {queue_ttl_ms, concurrency_max, concurrency_key, concurrency_max_per_key, reject_conflict,
--                head_start_ms, traceparent, idempotency_ms, draft}, each optional:
--     queue_ttl_ms     time in milliseconds after which the queued run expires; null means never
--     reject_conflict  checks the concurrency limit; without it, the function does not take the lock of the limit
--     head_start_ms    time in milliseconds by which the run moves forward in the queue, default 0
--     idempotency_ms   time in milliseconds for which `key` is valid, default one day
--     draft            the agent belongs to a draft run, so it is archived but may start this run
--
-- verdict: created | replayed | key_reused | stopped | not_found | archived | version_changed | version_unknown |
-- conflict (the concurrency limit is reached and the definition has on_conflict: reject)
create or replace function run_machine.create_run(p_call jsonb)
returns table (verdict text, run_id text, version integer, created_at timestamptz)
language plpgsql volatile as $$
declare
  c record;
  v_stop record;
  agent record;
  stored record;
  v_kept interval;
  v_run runs%rowtype;
begin
  select * into c from jsonb_to_record(p_call) as x(run text, workspace text, agent text, version integer, pinned boolean, mode text,
    trigger jsonb, input jsonb, labels jsonb, initiator text, currency text, endpoint text, key text, fingerprint bytea, limits jsonb);
  if c.key is not null then
    v_kept := coalesce((c.limits ->> 'idempotency_ms')::bigint, 86400000) * interval '1 millisecond';
    select * into stored from workspace.used_idempotency_key(c.workspace, c.endpoint, c.key, c.fingerprint, v_kept);
    if found then
      return query select stored.verdict, stored.resource_id, null::integer, stored.created_at;
      return;
    end if;
  end if;

  v_stop := workspace.stop_lock(c.workspace);
  select a.status, a.production_version, a.draft_until is not null as is_draft, exists (
      select from agent_versions v where v.agent_id = a.id and v.version = c.version) as version_exists
    into agent from agents a where a.id = c.agent and a.workspace_id = c.workspace;
  if not found then
    return query select 'not_found', null::text, null::integer, null::timestamptz;
    return;
  elsif agent.status = 'archived' and not (agent.is_draft and coalesce((c.limits ->> 'draft')::boolean, false)) then
    return query select 'archived', null::text, null::integer, null::timestamptz;
    return;
  elsif v_stop.state <> 'active' then
    return query select 'stopped', null::text, null::integer, null::timestamptz;
    return;
  elsif not c.pinned and agent.production_version <> c.version then
    return query select 'version_changed', null::text, agent.production_version, null::timestamptz;
    return;
  elsif not agent.version_exists then
    return query select 'version_unknown', null::text, null::integer, null::timestamptz;
    return;
  elsif coalesce((c.limits ->> 'reject_conflict')::boolean, false) and run_machine.has_concurrency_conflict(c.agent, c.limits) then
    return query select 'conflict', null::text, null::integer, null::timestamptz;
    return;
  end if;

  if c.key is not null then
    select * into stored from workspace.claim_idempotency_key(c.workspace, c.endpoint, c.key, c.fingerprint, c.run, v_kept);
    if found then
      return query select stored.verdict, stored.resource_id, null::integer, stored.created_at;
      return;
    end if;
  end if;

  -- A queued run always has a wake time, so a poller finds it even if its job is lost.
  insert into runs (id, workspace_id, agent_id, version, mode, trigger, input, labels, initiator, currency, wake_at,
      queue_deadline, concurrency_max, concurrency_key, concurrency_max_per_key, traceparent)
    values (c.run, c.workspace, c.agent, c.version, c.mode, c.trigger, c.input, c.labels, c.initiator, c.currency,
      -- The head start moves the wake time into the past, so that a workspace with a backlog does not delay other
      -- workspaces (FairShares).
      clock_timestamp() - coalesce((c.limits ->> 'head_start_ms')::bigint, 0) * interval '1 millisecond',
      clock_timestamp() + (c.limits ->> 'queue_ttl_ms')::bigint * interval '1 millisecond',
      (c.limits ->> 'concurrency_max')::integer, c.limits ->> 'concurrency_key', (c.limits ->> 'concurrency_max_per_key')::integer,
      c.limits ->> 'traceparent')
    on conflict on constraint runs_pk do nothing;
  if p_call ? 'files' then
    select * into v_run from runs r where r.id = c.run;
    perform run_machine.refer_to_files(v_run, p_call -> 'files');
  end if;
  return query select 'created', r.id, r.version, r.created_at::timestamptz from runs r where r.id = c.run;
end $$;

-- Executes several calls of create_run in one commit (see try_lock_run.sql). In addition to the calls that would have
-- to wait, the result omits calls that must check the concurrency limit. If another process is inserting the same
-- idempotency key, the function waits for this process. It inserts the keys in sorted order to avoid deadlocks.
create or replace function run_machine.create_run_batch(p_calls jsonb)
returns table (call integer, verdict text, run_id text, version integer, created_at timestamptz)
language plpgsql volatile
set lock_timeout = '50ms' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_open text[] := run_machine.try_stop_locks(run_machine.called_workspaces(p_calls));
  plain record;
  other record;
begin
  with called as materialized (
    select c.*
      from rows from (jsonb_to_recordset(p_calls) as (run text, workspace text, agent text, version integer, pinned boolean, mode text,
        trigger jsonb, input jsonb, labels jsonb, initiator text, currency text, key text, limits jsonb, files jsonb)) with ordinality
        as c(run, workspace, agent, version, pinned, mode, trigger, input, labels, initiator, currency, key, limits, files, position)
      join workspaces w on w.id = c.workspace
      join agents a on a.id = c.agent and a.workspace_id = c.workspace
     where c.workspace = any (v_open) and w.state = 'active' and a.status <> 'archived'
       and (c.pinned or a.production_version = c.version)
       and exists (select from agent_versions v where v.agent_id = a.id and v.version = c.version)
       and c.key is null and c.files is null and not coalesce((c.limits ->> 'reject_conflict')::boolean, false)),
  created as (
    insert into runs (id, workspace_id, agent_id, version, mode, trigger, input, labels, initiator, currency, wake_at,
        queue_deadline, concurrency_max, concurrency_key, concurrency_max_per_key, traceparent)
      select c.run, c.workspace, c.agent, c.version, c.mode, c.trigger, c.input, c.labels, c.initiator, c.currency,
        clock_timestamp() - coalesce((c.limits ->> 'head_start_ms')::bigint, 0) * interval '1 millisecond',
        clock_timestamp() + (c.limits ->> 'queue_ttl_ms')::bigint * interval '1 millisecond',
        (c.limits ->> 'concurrency_max')::integer, c.limits ->> 'concurrency_key',
        (c.limits ->> 'concurrency_max_per_key')::integer, c.limits ->> 'traceparent'
        from called c
       order by c.run
      on conflict on constraint runs_pk do nothing)
  select coalesce(array_agg(c.position::integer), '{}') as calls, array_agg(c.run) as runs into plain from called c;
  return query
    select c.call, 'created', r.id, r.version, r.created_at::timestamptz
      from unnest(plain.calls, plain.runs) as c(call, run) join runs r on r.id = c.run;
  for other in
    select c.position::integer as position, c.call
      from rows from (jsonb_to_recordset(p_calls) as (workspace text, endpoint text, key text, limits jsonb), jsonb_array_elements(p_calls))
        with ordinality as c(workspace, endpoint, key, limits, call, position)
     where c.position <> all (plain.calls) and c.workspace = any (v_open)
       and not coalesce((c.limits ->> 'reject_conflict')::boolean, false)
     order by c.workspace, c.endpoint, c.key, c.position
  loop
    return query select other.position, r.* from run_machine.create_run(other.call) r;
  end loop;
end $$;
