-- Makes poll_watches match the polls that the agent's production version declares. A changed poll is due at once. A
-- worker that polls for the earlier version loses its lease.
create or replace function triggers.follow_polls(p_agent text) returns void
language sql volatile as $$
  insert into poll_watches as p (agent_id, trigger_id, workspace_id, declared, due_at)
    select p_agent, d.value ->> 'id', a.workspace_id, d.value, case when a.status = 'active' then clock_timestamp() end
      from agents a
      join agent_versions v on v.agent_id = a.id and v.version = a.production_version
      cross join lateral jsonb_array_elements(coalesce(v.definition -> 'triggers', '[]')) d
     where a.id = p_agent and d.value ->> 'type' = 'poll'
    on conflict on constraint poll_watches_pk do update set
      declared = excluded.declared, due_at = excluded.due_at, worker = null, lease_until = null, error = null
      where p.declared is distinct from excluded.declared
$$;
