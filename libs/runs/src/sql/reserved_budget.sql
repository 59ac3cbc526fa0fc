-- Returns what model turns of the agent's open runs have reserved, in millionths of the currency of its budget. The
-- tenant role cannot read the reservations, so the function has the rights of its owner. Within the role, it
-- counts only the workspace of the request.
create or replace function run_machine.reserved_budget(p_workspace text, p_agent text) returns bigint
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(sum(b.micros), 0)::bigint
    from budget_reservations b join runs r on r.id = b.run_id
   where b.agent_id = p_agent and r.ended_at is null and r.workspace_id = p_workspace
     and p_workspace = coalesce(nullif(current_setting('app.workspace_id', true), ''), p_workspace)
$$;
