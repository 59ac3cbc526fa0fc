-- Makes `worker` the owner of the due queued run `run`. Returns no row if the run cannot be claimed: another worker
-- owns it, it is not due, the concurrency limit of its agent is reached, the workspace is stopped, or the worker's
-- lease has expired.
-- Each claim increments `attempt`, the fencing token of all later writes. The claim is a compare-and-set on the status.
-- If the caller repeats an `op` whose response was lost, it gets the same claim.
--
-- p_call     {run, worker, op}: ids of the run and the worker, and the UUID of the operation
create or replace function run_machine.claim(p_call jsonb)
returns table (
  id text, workspace_id text, agent_id text, version integer, mode text, trigger jsonb, input jsonb, labels jsonb,
  initiator text, attempt integer, active_ms bigint, created_at timestamptz, steps jsonb)
language plpgsql volatile as $$
declare
  v_run text := p_call ->> 'run';
  v_worker text := p_call ->> 'worker';
  v_op uuid := p_call ->> 'op';
  v runs%rowtype;
begin
  if not run_machine.concurrency_allows(v_run) then
    -- The concurrency limit is reached, so the run is deferred. It is due when another run ends, or else after one
    -- second.
    update runs r set wake_at = clock_timestamp() + interval '1 second'
     where r.id = v_run and r.status = 'queued' and r.wake_at <= clock_timestamp();
    return;
  end if;
  update runs r
     set status = 'running', attempt = r.attempt + 1, worker_id = v_worker, claim_op = v_op, claimed_at = clock_timestamp(),
         wake_at = null, change_xid = run_machine.current_xid()
   -- A condition on the status is not needed, because only queued runs have a wake time (runs_row_ck). It could also be
   -- slow: a session would keep a plan from the time when the table was small. This plan uses the index of queued runs,
   -- which does not begin with the id.
   where r.id = v_run and r.wake_at <= clock_timestamp()
     and exists (select from workspaces w where w.id = r.workspace_id and w.state = 'active')
     and exists (select from workers k where k.id = v_worker and k.lease_until > clock_timestamp())
  returning * into v;
  if not found then
    select * into v from runs r where r.id = v_run and r.claim_op = v_op and r.worker_id = v_worker and r.status = 'running';
    if not found then return; end if;
  end if;
  return query select v.id, v.workspace_id, v.agent_id, v.version, v.mode, v.trigger, v.input, v.labels, v.initiator, v.attempt,
    v.active_ms, v.created_at::timestamptz, run_machine.recorded_steps(v);
end $$;

-- Like claim, for several due queued runs at once. Claims only runs to which no concurrency limit applies: their agent
-- has no limit, or they already count against it, because they were claimed before. Returns the indexes i of the
-- claimed runs p_runs[i]. The caller holds the row locks of the runs.
create or replace function run_machine.claim_plain_runs(p_runs text[], p_workers text[], p_ops uuid[]) returns integer[]
language plpgsql volatile as $$
declare
  v_claimed integer[];
begin
  with claimed as (
    update runs r
       set status = 'running', attempt = r.attempt + 1, worker_id = c.worker, claim_op = c.op, claimed_at = clock_timestamp(),
           wake_at = null, change_xid = run_machine.current_xid()
      from unnest(p_runs, p_workers, p_ops) with ordinality as c(run, worker, op, position)
     where r.id = c.run and r.wake_at <= clock_timestamp()
       and (r.attempt > 0 or (r.concurrency_max is null and r.concurrency_max_per_key is null))
       and exists (select from workspaces w where w.id = r.workspace_id and w.state = 'active')
       and exists (select from workers k where k.id = c.worker and k.lease_until > clock_timestamp())
    returning c.position)
  select coalesce(array_agg(position::integer), '{}') into v_claimed from claimed;
  return v_claimed;
end $$;

-- Returns the columns of claim for the run p_runs[i] of each index i in p_calls. The column `call` contains the index.
create or replace function run_machine.claimed_runs(p_runs text[], p_calls integer[])
returns table (
  call integer, id text, workspace_id text, agent_id text, version integer, mode text, trigger jsonb, input jsonb, labels jsonb,
  initiator text, attempt integer, active_ms bigint, created_at timestamptz, steps jsonb)
language plpgsql volatile as $$
begin
  return query
    select c.call, r.id, r.workspace_id, r.agent_id, r.version, r.mode, r.trigger, r.input, r.labels, r.initiator, r.attempt,
        r.active_ms, r.created_at::timestamptz, case when r.step_n = 1 then '[]' else run_machine.recorded_steps(r) end
      from unnest(p_calls) as c(call) join runs r on r.id = p_runs[c.call];
end $$;

-- Executes several calls of claim in one commit (see try_lock_run.sql). If a run cannot be claimed, all columns except
-- `call` are null.
create or replace function run_machine.claim_batch(p_calls jsonb)
returns table (
  call integer, id text, workspace_id text, agent_id text, version integer, mode text, trigger jsonb, input jsonb, labels jsonb,
  initiator text, attempt integer, active_ms bigint, created_at timestamptz, steps jsonb)
language plpgsql volatile
set lock_timeout = '50ms' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_runs text[] := run_machine.called_runs(p_calls);
  v_locked text[] := run_machine.try_lock_runs(v_runs);
  v_plain integer[];
begin
  select run_machine.claim_plain_runs(
      array_agg(case when c.run = any (v_locked) and cardinality(array_positions(v_runs, c.run)) = 1 then c.run end order by c.position),
      array_agg(c.worker order by c.position), array_agg(c.op order by c.position))
    into v_plain
    from rows from (jsonb_to_recordset(p_calls) as (run text, worker text, op uuid)) with ordinality as c(run, worker, op, position);
  return query select * from run_machine.claimed_runs(v_runs, v_plain);
  for i in 1 .. cardinality(v_runs) loop
    continue when i = any (v_plain) or v_runs[i] <> all (v_locked) or not run_machine.may_ask_concurrency(v_runs[i]);
    return query select i, c.* from (values (1)) one left join run_machine.claim(p_calls -> (i - 1)) c on true;
  end loop;
end $$;
