-- Returns whether the concurrency limits of the agent allow a queued run to begin. The function takes a lock that all
-- claims of runs of this agent take, so that two concurrent claims cannot exceed a limit. A run counts from its first
-- claim until it has ended. The run is locked before the agent, because claim_next has already locked the run.
create or replace function run_machine.concurrency_allows(p_run text) returns boolean
language plpgsql volatile as $$
declare
  v runs%rowtype;
  v_active integer;
  v_active_with_key integer;
begin
  select * into v from runs r where r.id = p_run;
  if (v.concurrency_max is null and v.concurrency_max_per_key is null) or v.attempt > 0 then return true; end if;
  perform from runs r where r.id = p_run for no key update;
  perform pg_advisory_xact_lock(hashtextextended('concurrency:' || v.agent_id, 0));
  select count(*), count(*) filter (where r.concurrency_key is not distinct from v.concurrency_key)
    into v_active, v_active_with_key
    from runs r
   where r.agent_id = v.agent_id and r.ended_at is null and r.attempt > 0
     and (r.concurrency_max is not null or r.concurrency_max_per_key is not null);
  return (v.concurrency_max is null or v_active < v.concurrency_max)
    and (v.concurrency_max_per_key is null or v_active_with_key < v.concurrency_max_per_key);
end $$;

-- Returns false if concurrency_allows would have to wait for the lock of the agent. Otherwise returns true: the limits
-- need not be checked for this run, or this function has taken the lock. This function never waits, because the caller
-- may hold the lock of another agent, so that waiting could cause a deadlock.
create or replace function run_machine.may_ask_concurrency(p_run text) returns boolean
language plpgsql volatile as $$
declare
  v runs%rowtype;
begin
  select * into v from runs r where r.id = p_run;
  return (v.concurrency_max is null and v.concurrency_max_per_key is null) or v.attempt > 0
    or pg_try_advisory_xact_lock(hashtextextended('concurrency:' || v.agent_id, 0));
end $$;
