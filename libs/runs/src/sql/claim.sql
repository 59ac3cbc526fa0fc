-- Makes p_worker the owner of a due queued run. Returns no row if another worker has the run, it is not due, the
-- concurrency limit of its agent is reached, the workspace is stopped, or the worker's lease has expired. Each claim
-- raises `attempt`, the fencing token of every later write. The claim is a compare-and-set on status; repeating the
-- same p_op after a lost answer returns the same claim.
create or replace function run_machine.claim(p_run text, p_worker text, p_op uuid)
returns table (
  id text, workspace_id text, agent_id text, version integer, mode text, trigger jsonb, input jsonb, labels jsonb,
  initiator text, attempt integer, active_ms bigint, created_at timestamptz, steps jsonb)
language plpgsql volatile as $$
declare
  v runs%rowtype;
begin
  if not run_machine.concurrency_allows(p_run) then
    -- The end of another run makes it due earlier; the wake time of one second covers an end that was missed.
    update runs r set wake_at = clock_timestamp() + interval '1 second'
     where r.id = p_run and r.status = 'queued' and r.wake_at <= clock_timestamp();
    return;
  end if;
  update runs r
     set status = 'running', attempt = r.attempt + 1, worker_id = p_worker, claim_op = p_op, claimed_at = clock_timestamp(),
         wake_at = null
   -- Only queued runs have a wake time (runs_row_ck). The condition does not name the status: a session that planned
   -- it while the table was small would use the index of queued runs, which does not begin with the id.
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

-- Several calls in one commit, each parameter as an array. `call` is the index of the call, from 1 on; its columns are
-- null if the run cannot be claimed. See try_lock_run for the calls that are left out.
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
