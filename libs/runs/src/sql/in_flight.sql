-- Calls of a workspace that began and have no recorded end: what a stop reports. No call lasts longer than ten minutes (the
-- longest timeout that a definition may give), so what began before that has ended, recorded or not.
create or replace function run_machine.in_flight(p_workspace text)
returns table (run_id text, n integer, tool text, scope text, started_at timestamptz)
language sql volatile as $$
  select s.run_id, s.n, s.tool, s.scope, s.started_at from run_steps s
   where s.workspace_id = p_workspace and s.state = 'started' and s.type = 'tool_call'
     and s.started_at > clock_timestamp() - interval '10 minutes'
   order by s.started_at
$$;
