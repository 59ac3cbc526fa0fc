-- Everything a worker needs to go on with a run that it owns: the run and the steps recorded so far, in order.
-- `due` tells of a waiting step whether its time has come.
create or replace function run_machine.claimed_run(p_run text)
returns table (
  id text, workspace_id text, agent_id text, version integer, mode text, trigger jsonb, input jsonb, labels jsonb,
  initiator text, attempt integer, active_ms bigint, created_at timestamptz, steps jsonb)
language sql volatile as $$
  select r.id, r.workspace_id, r.agent_id, r.version, r.mode, r.trigger, r.input, r.labels,
    r.initiator, r.attempt, r.active_ms, r.created_at::timestamptz,
    case when r.step_n = 1 then '[]'::jsonb else (
      select coalesce(jsonb_agg(jsonb_build_object(
          'n', s.n, 'path', s.path, 'try', s.try, 'type', s.type, 'state', s.state, 'request', s.request, 'output', s.output,
          'error', s.error, 'due', s.due_at <= clock_timestamp()
        ) order by s.n), '[]'::jsonb)
      from run_steps s where s.run_id = r.id) end
  from runs r where r.id = p_run
$$;
