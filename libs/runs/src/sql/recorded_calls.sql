-- The calls of an ended run that came to a result, in order: what a replay may take instead of making them. The questions
-- that were asked about lost calls (their paths have a #) are no calls of the plan. How long a call took was true of that run.
create or replace function run_machine.recorded_calls(p_workspace text, p_run text) returns table (calls jsonb)
language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object(
      'id', s.run_id || '.' || s.n, 'path', s.path, 'tool', s.tool, 'try', s.try, 'state', s.state, 'request', s.request,
      'output', s.output, 'error', s.error, 'detail', s.detail - 'duration_ms') order by s.n), '[]'::jsonb)
    from run_steps s
   where s.workspace_id = p_workspace and s.run_id = p_run and s.type = 'tool_call'
     and s.state in ('succeeded', 'simulated', 'failed') and s.path not like '%#%'
$$;
