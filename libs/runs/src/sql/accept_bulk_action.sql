-- Accepts a bulk action over the runs p_runs, whose ids must be distinct. A bulk action without runs is completed
-- immediately. p_mode is the mode of the replays, or null for a cancellation. Returns the creation time.
-- If the workspace already has p_most_open open bulk actions, returns null and writes nothing. If n calls overlap, the
-- number of open bulk actions may exceed this limit by up to n.
create or replace function run_machine.accept_bulk_action(
  p_bulk text, p_workspace text, p_action text, p_mode text, p_actor text, p_runs text[], p_most_open integer
) returns timestamptz
language plpgsql volatile as $$
declare
  v_total integer := cardinality(p_runs);
  v_created timestamptz := date_trunc('milliseconds', clock_timestamp());
  v_open integer;
begin
  select count(*) into v_open from (
    select from bulk_actions b where b.workspace_id = p_workspace and b.due_at is not null limit p_most_open) open;
  if v_open >= p_most_open then return null; end if;
  insert into bulk_actions (id, workspace_id, action, mode, actor, status, total, due_at, created_at, ended_at)
    values (p_bulk, p_workspace, p_action, p_mode, p_actor, case v_total when 0 then 'completed' else 'queued' end, v_total,
      case when v_total > 0 then v_created end, v_created, case when v_total = 0 then v_created end);
  insert into bulk_action_results (bulk_action_id, run_id, workspace_id) select p_bulk, r, p_workspace from unnest(p_runs) r;
  return v_created;
end $$;
