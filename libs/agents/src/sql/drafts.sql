-- Returns up to p_limit draft agents that are due for deletion, in the order of their ids, starting after p_after.
create or replace function agents.due_drafts(p_after text, p_limit integer) returns setof text
language sql stable as $$
  select a.id from agents a where a.draft_until < clock_timestamp() and a.id > p_after order by a.id limit p_limit
$$;

-- Deletes these draft agents with their version. The caller must have deleted their runs.
create or replace function agents.delete_drafts(p_agents text[]) returns void
language sql volatile as $$
  delete from agent_version_tools t where t.agent_id = any (p_agents);
  delete from agent_versions v where v.agent_id = any (p_agents);
  delete from agents a where a.id = any (p_agents) and a.draft_until is not null;
$$;
