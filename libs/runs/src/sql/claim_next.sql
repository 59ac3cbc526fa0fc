-- Like claim, for the run that has been due the longest. Workers use it to find runs whose job was lost. If the
-- concurrency limit of the agent is reached, the run is deferred and the next run is tried, up to 20 runs.
--
-- p_call     {worker, op}: see claim
create or replace function run_machine.claim_next(p_call jsonb)
returns table (
  id text, workspace_id text, agent_id text, version integer, mode text, trigger jsonb, input jsonb, labels jsonb,
  initiator text, attempt integer, active_ms bigint, created_at timestamptz, steps jsonb)
language plpgsql volatile as $$
declare
  v_worker text := p_call ->> 'worker';
  v_op uuid := p_call ->> 'op';
  due text;
begin
  select r.id into due from runs r where r.worker_id = v_worker and r.claim_op = v_op and r.status = 'running';
  if found then
    return query select * from run_machine.claim(p_call || jsonb_build_object('run', due));
    return;
  end if;
  for looked_at in 1..20 loop
    due := run_machine.lock_next();
    if due is null or (looked_at > 1 and not run_machine.may_ask_concurrency(due)) then return; end if;
    return query select * from run_machine.claim(p_call || jsonb_build_object('run', due));
    if found then return; end if;
    perform from workers k where k.id = v_worker and k.lease_until > clock_timestamp();
    if not found then return; end if;
  end loop;
end $$;

-- Locks the run that has been due the longest and returns its id. Returns null if no run is due or all due runs are
-- locked. The condition uses statement_timestamp(), so that Postgres finds the due runs through an index. With
-- clock_timestamp(), it would read all waiting runs.
create or replace function run_machine.lock_next() returns text
language plpgsql volatile as $$
begin
  return (
    select r.id from runs r
     where r.status = 'queued' and r.wake_at <= statement_timestamp()
       and exists (select from workspaces w where w.id = r.workspace_id and w.state = 'active')
     order by r.wake_at for no key update of r skip locked limit 1);
end $$;

-- Like lock_next, for up to p_count runs. The run that has been due the longest comes first.
create or replace function run_machine.lock_due_runs(p_count integer) returns text[]
language plpgsql volatile as $$
begin
  return array(
    select r.id from runs r
     where r.status = 'queued' and r.wake_at <= statement_timestamp()
       and exists (select from workspaces w where w.id = r.workspace_id and w.state = 'active')
     order by r.wake_at for no key update of r skip locked limit p_count);
end $$;

-- Executes several calls of claim_next in one commit (see try_lock_run.sql). If no further run is due for a call, all
-- columns of its row except `call` are null. The result omits calls that would have to wait or that repeat an
-- operation. It also omits calls whose run the concurrency limit of its agent may defer.
create or replace function run_machine.claim_next_batch(p_calls jsonb)
returns table (
  call integer, id text, workspace_id text, agent_id text, version integer, mode text, trigger jsonb, input jsonb, labels jsonb,
  initiator text, attempt integer, active_ms bigint, created_at timestamptz, steps jsonb)
language plpgsql volatile
set lock_timeout = '50ms' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  fresh record;
  v_due text[];
  v_plain integer[];
begin
  select coalesce(array_agg(c.position::integer order by c.position), '{}') as calls, array_agg(c.worker order by c.position) as workers,
      array_agg(c.op order by c.position) as ops
    into fresh
    from rows from (jsonb_to_recordset(p_calls) as (worker text, op uuid)) with ordinality as c(worker, op, position)
   where not exists (select from runs r where r.worker_id = c.worker and r.claim_op = c.op and r.status = 'running');
  v_due := run_machine.lock_due_runs(cardinality(fresh.calls));
  v_plain := run_machine.claim_plain_runs(v_due, fresh.workers, fresh.ops);
  return query
    select fresh.calls[c.call], c.id, c.workspace_id, c.agent_id, c.version, c.mode, c.trigger, c.input, c.labels, c.initiator, c.attempt,
      c.active_ms, c.created_at, c.steps from run_machine.claimed_runs(v_due, v_plain) c;
  for i in 1 .. cardinality(fresh.calls) loop
    if v_due[i] is null then
      call := fresh.calls[i];
      return next;
      continue;
    end if;
    continue when i = any (v_plain) or not run_machine.may_ask_concurrency(v_due[i]);
    return query
      select fresh.calls[i], c.*
        from run_machine.claim((p_calls -> (fresh.calls[i] - 1)) || jsonb_build_object('run', v_due[i])) c;
  end loop;
end $$;
