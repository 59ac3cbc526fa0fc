-- Returns the number of runs of the workspace that have not ended, by status. Each number is at most p_cap, so the time
-- of a stop does not depend on the number of runs.
create or replace function run_machine.count_open_runs(p_workspace text, p_cap integer)
returns table (queued integer, running integer, waiting_approval integer)
language sql stable as $$
  select
    (select count(*)::integer from (select from runs r where r.workspace_id = p_workspace and r.status = 'queued' limit p_cap) x),
    (select count(*)::integer from (select from runs r where r.workspace_id = p_workspace and r.status = 'running' limit p_cap) x),
    (select count(*)::integer from (select from runs r where r.workspace_id = p_workspace and r.status = 'waiting_approval' limit p_cap) x)
$$;
