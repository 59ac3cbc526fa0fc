-- Like claim, for the run that has been due the longest. Runs whose queue message was lost are found in this way. If
-- the concurrency limit of its agent is reached, the run is deferred and the next run is tried, up to a limited number
-- of runs.
create or replace function run_machine.claim_next(p_worker text, p_op uuid)
returns table (
  id text, workspace_id text, agent_id text, version integer, mode text, trigger jsonb, input jsonb, labels jsonb,
  initiator text, attempt integer, active_ms bigint, created_at timestamptz, steps jsonb)
language plpgsql volatile as $$
declare
  due text;
begin
  select r.id into due from runs r where r.worker_id = p_worker and r.claim_op = p_op and r.status = 'running';
  if found then
    return query select * from run_machine.claim(due, p_worker, p_op);
    return;
  end if;
  for looked_at in 1..20 loop
    due := run_machine.lock_next();
    if due is null or (looked_at > 1 and not run_machine.may_ask_concurrency(due)) then return; end if;
    return query select * from run_machine.claim(due, p_worker, p_op);
    if found then return; end if;
    perform from workers k where k.id = p_worker and k.lease_until > clock_timestamp();
    if not found then return; end if;
  end loop;
end $$;

-- Locks the run that has been due the longest and returns its id. Returns null if no run is due or all due runs are
-- locked. The cost does not depend on the number of runs that wait for a later time, because the due runs are found
-- through an index. Postgres can use this index only for a time that does not change during the statement, so the
-- condition uses statement_timestamp(). With clock_timestamp(), all waiting runs would be read.
create or replace function run_machine.lock_next() returns text
language plpgsql volatile as $$
begin
  return (
    select r.id from runs r
     where r.status = 'queued' and r.wake_at <= statement_timestamp()
       and exists (select from workspaces w where w.id = r.workspace_id and w.state = 'active')
     order by r.wake_at for no key update of r skip locked limit 1);
end $$;

-- Makes several calls in one commit, with each parameter as an array. `call` is the index of the call, starting at 1.
-- The other columns are null if no further run is due. The result omits a call if the run that it found must or may be
-- deferred because of the concurrency limit of its agent.
create or replace function run_machine.claim_next_batch(p_workers text[], p_ops uuid[])
returns table (
  call integer, id text, workspace_id text, agent_id text, version integer, mode text, trigger jsonb, input jsonb, labels jsonb,
  initiator text, attempt integer, active_ms bigint, created_at timestamptz, steps jsonb)
language plpgsql volatile set lock_timeout = '50ms' as $$
declare
  due text;
begin
  for i in 1 .. cardinality(p_ops) loop
    select r.id into due from runs r where r.worker_id = p_workers[i] and r.claim_op = p_ops[i] and r.status = 'running';
    if not found then
      due := run_machine.lock_next();
      if due is null then
        call := i;
        return next;
        continue;
      end if;
      continue when not run_machine.may_ask_concurrency(due);
    end if;
    return query select i, c.* from run_machine.claim(due, p_workers[i], p_ops[i]) c;
  end loop;
end $$;
