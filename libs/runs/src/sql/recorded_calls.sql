-- Returns the calls of an ended run that have a result, in order. A replay uses these results instead of making the
-- calls. Omits reconciliations (paths with a #), because the definition does not contain them. Omits durations, because
-- they describe only the ended run. `detail.approved` states that people approved the call.
create or replace function run_machine.recorded_calls(p_workspace text, p_run text) returns table (calls jsonb)
language sql stable as $$
  select to_jsonb(array(
    select jsonb_build_object(
        'id', s.run_id || '.' || s.n, 'path', s.path, 'tool', s.tool, 'try', s.try, 'state', s.state, 'request', s.request,
        'output', s.output, 'error', s.error, 'detail', run_machine.detail_with_approval(s) - 'duration_ms')
      from run_steps s
     where s.workspace_id = p_workspace and s.run_id = p_run and s.type = 'tool_call'
       and s.state in ('succeeded', 'simulated', 'failed') and s.path not like '%#%'
     order by s.n))
$$;
