-- Like claim, for the run that has been due the longest. This is how runs go on when the queue lost their message.
-- Runs that their agent's concurrency limit holds back are put off and the next one is looked at, a bounded number of times.
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

-- Locks the run that has been due the longest and answers its id; null when none is due, or all are locked by others.
-- It costs the same however many runs wait for a later time: what is due is found in the index, which only works for a time
-- that does not change during the statement (clock_timestamp() does, and all that waits would be read).
create or replace function run_machine.lock_next() returns text
language plpgsql volatile as $$
begin
  return (
    select r.id from runs r
     where r.status = 'queued' and r.wake_at <= statement_timestamp()
       and exists (select from workspaces w where w.id = r.workspace_id and w.state = 'active')
     order by r.wake_at for no key update of r skip locked limit 1);
end $$;

-- Several of them in one commit, each parameter as an array. `call` says which (from 1 on), with nulls where no further run is due.
-- Left out are those that met a run which its agent's concurrency limit holds back, or may hold back.
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
