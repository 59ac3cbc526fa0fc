-- Returns the answers to questions and the bodies of callbacks of an ended run, in order. A replay uses them instead of
-- asking people or waiting for callbacks.
create or replace function run_machine.recorded_answers(p_workspace text, p_run text) returns table (answers jsonb)
language sql stable as $$
  select to_jsonb(array(
    select jsonb_build_object('type', s.type, 'id', s.run_id || '.' || s.n, 'path', s.path, 'state', s.state, 'output', s.output)
      from run_steps s
     where s.workspace_id = p_workspace and s.run_id = p_run and s.state in ('succeeded', 'simulated')
       and (s.type = 'approval' and s.detail ? 'title' and s.detail ->> 'decision' = 'answer'
         or s.type = 'wait' and s.detail ->> 'for' = 'callback')
     order by s.n))
$$;
