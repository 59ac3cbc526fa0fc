-- Returns whether a new run of the agent would exceed the agent's concurrency limit. The queued and begun runs of the
-- agent count if they have a concurrency limit.
create or replace function run_machine.has_concurrency_conflict(p_agent text, p_limits jsonb) returns boolean
language plpgsql volatile as $$
declare
  v_ahead integer;
  v_ahead_with_key integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('concurrency:' || p_agent, 0));
  select count(*), count(*) filter (where r.concurrency_key is not distinct from p_limits ->> 'concurrency_key')
    into v_ahead, v_ahead_with_key
    -- This condition equals the condition of the index runs_open_limited_ix, so that Postgres uses the index. It
    -- selects open runs that have a concurrency limit.
    from runs r
   where r.agent_id = p_agent and r.ended_at is null and (r.concurrency_max is not null or r.concurrency_max_per_key is not null);
  return v_ahead >= (p_limits ->> 'concurrency_max')::integer or v_ahead_with_key >= (p_limits ->> 'concurrency_max_per_key')::integer;
end $$;
