-- Returns the tool calls of a workspace that have begun and have no recorded end. A stop waits for these calls. Calls
-- have a timeout of at most ten minutes. A call that began more than ten minutes ago has therefore ended, even if its
-- end was not recorded.
create or replace function run_machine.in_flight(p_workspace text)
returns table (run_id text, n integer, tool text, scope text, started_at timestamptz)
language sql volatile as $$
  select s.run_id, s.n, s.tool, s.scope, s.started_at from run_steps s
   where s.workspace_id = p_workspace and s.state = 'started' and s.type = 'tool_call'
     and s.started_at > clock_timestamp() - interval '10 minutes'
   order by s.started_at
$$;

-- Returns those of the calls p_calls [{run, n}] for which no worker has reported a response: calls that are still
-- running, and calls that were aborted. `state` is the state of the step. Steps in the state `ready` are omitted,
-- because their calls were never sent.
create or replace function run_machine.unconfirmed_calls(p_calls jsonb)
returns table (run_id text, n integer, tool text, scope text, started_at timestamptz, state text)
language sql stable as $$
  select s.run_id, s.n, s.tool, s.scope, s.started_at, s.state
    from jsonb_to_recordset(p_calls) as c(run text, n integer) join run_steps s on s.run_id = c.run and s.n = c.n
   where s.state in ('started', 'in_doubt', 'interrupted', 'cancelled')
   order by s.started_at
$$;
