-- Makes p_worker the owner of a due queued run. Returns no row if another worker has the run, it is not due, the
-- concurrency limit of its agent is reached, the workspace is stopped, or the worker's lease has expired. Each claim
-- increments `attempt`, the fencing token of every later write. The claim is a compare-and-set on the status. Repeating
-- the same p_op after a lost response returns the same claim.
create or replace function run_machine.claim(p_run text, p_worker text, p_op uuid)
returns table (
  id text, workspace_id text, agent_id text, version integer, mode text, trigger jsonb, input jsonb, labels jsonb,
  initiator text, attempt integer, active_ms bigint, created_at timestamptz, steps jsonb)
language plpgsql volatile as $$
declare
  v runs%rowtype;
begin
  if not run_machine.concurrency_allows(p_run) then
    -- Defers the run because of its concurrency limit. The end of another run makes it due at once. If this is missed,
    -- the run is due after one second.
    update runs r set wake_at = clock_timestamp() + interval '1 second'
     where r.id = p_run and r.status = 'queued' and r.wake_at <= clock_timestamp();
    return;
  end if;
  update runs r
     set status = 'running', attempt = r.attempt + 1, worker_id = p_worker, claim_op = p_op, claimed_at = clock_timestamp(),
         wake_at = null
   -- Only queued runs have a wake time (runs_row_ck), so a condition on the status is not needed. It would also be
   -- slow: a session that planned the statement while the table was small would keep using the index of queued runs,
   -- which does not begin with the id.
   where r.id = p_run and r.wake_at <= clock_timestamp()
     and exists (select from workspaces w where w.id = r.workspace_id and w.state = 'active')
     and exists (select from workers k where k.id = p_worker and k.lease_until > clock_timestamp())
  returning * into v;
  if not found then
    select * into v from runs r where r.id = p_run and r.claim_op = p_op and r.worker_id = p_worker and r.status = 'running';
    if not found then return; end if;
  end if;
  return query select v.id, v.workspace_id, v.agent_id, v.version, v.mode, v.trigger, v.input, v.labels, v.initiator, v.attempt,
    v.active_ms, v.created_at::timestamptz, run_machine.recorded_steps(v);
end $$;

-- Makes several calls in one commit, with each parameter as an array. `call` is the index of the call, starting at 1.
-- The other columns are null if the run cannot be claimed. try_lock_run explains which calls are omitted.
create or replace function run_machine.claim_batch(p_runs text[], p_workers text[], p_ops uuid[])
returns table (
  call integer, id text, workspace_id text, agent_id text, version integer, mode text, trigger jsonb, input jsonb, labels jsonb,
  initiator text, attempt integer, active_ms bigint, created_at timestamptz, steps jsonb)
language plpgsql volatile set lock_timeout = '50ms' as $$
begin
  for i in 1 .. cardinality(p_runs) loop
    continue when not run_machine.try_lock_run(p_runs[i], null) or not run_machine.may_ask_concurrency(p_runs[i]);
    return query select i, c.* from (values (1)) one left join run_machine.claim(p_runs[i], p_workers[i], p_ops[i]) c on true;
  end loop;
end $$;
