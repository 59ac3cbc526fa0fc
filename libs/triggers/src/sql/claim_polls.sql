-- Leases at most p_limit due polls to p_worker, the longest due first. Skips polls that another live worker holds, so
-- two workers never get the same poll. A due poll of a stopped workspace is not leased. Its due_at becomes null until
-- the workspace is resumed.
create or replace function triggers.claim_polls(p_worker text, p_lease_ms integer, p_limit integer)
returns table (workspace_id text, agent_id text, trigger_id text)
language plpgsql volatile as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  return query
    with due as (
      select p.agent_id, p.trigger_id, w.state = 'active' as is_active
        from poll_watches p join workspaces w on w.id = p.workspace_id
       where p.due_at <= v_now and (p.lease_until is null or p.lease_until < v_now)
       order by p.due_at limit p_limit for no key update of p skip locked
    ), claimed as (
      update poll_watches p set
          due_at = case when due.is_active then p.due_at end,
          worker = case when due.is_active then p_worker end,
          lease_until = case when due.is_active then v_now + p_lease_ms * interval '1 millisecond' end
        from due where p.agent_id = due.agent_id and p.trigger_id = due.trigger_id
      returning p.workspace_id, p.agent_id, p.trigger_id, p.worker
    )
    select c.workspace_id, c.agent_id, c.trigger_id from claimed c where c.worker is not null;
end $$;

-- Renews the leases of p_worker and returns the polls that it still holds. Omits polls that were changed or deleted,
-- polls of a paused agent, and polls in a stopped workspace.
create or replace function triggers.renew_polls(p_worker text, p_lease_ms integer)
returns table (agent_id text, trigger_id text)
language sql volatile as $$
  update poll_watches p set lease_until = clock_timestamp() + p_lease_ms * interval '1 millisecond'
    from agents a, workspaces w
   where p.worker = p_worker and p.lease_until >= clock_timestamp() and p.due_at is not null
     and a.id = p.agent_id and a.status = 'active' and w.id = p.workspace_id and w.state = 'active'
  returning p.agent_id, p.trigger_id
$$;
