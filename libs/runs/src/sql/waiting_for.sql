-- Returns the reason without the child runs: {for, until}. For a suspended run of a stopped workspace, the reason is
-- `worker`.
--
-- If a run waits for a callback, the reason is the callback, even if the run also has other waits.
--
-- A run without a callback may have a wake time in the future. The cause is then a step that waits for a time, a child
-- run, or the retry of a failed call. The wake time distinguishes the last two causes: it is 30 days away for a child
-- run, and at most one day away for a retry.
create or replace function run_machine.wait_reason(p_run text, p_status text, p_attempt integer, p_wake_at timestamptz)
returns jsonb
language plpgsql stable as $$
begin
  if p_status = 'waiting_approval' then
    return jsonb_build_object('for', 'approval', 'until',
      (select a.expires_at from approvals a where a.run_id = p_run and a.status = 'open'));
  elsif p_status <> 'queued' then
    return null;
  elsif p_attempt = 0 or p_wake_at <= statement_timestamp() or p_wake_at = 'infinity' then
    return '{"for": "worker"}';
  elsif exists (select from run_steps s where s.run_id = p_run and s.state = 'waiting' and s.detail ->> 'for' = 'callback') then
    return jsonb_build_object('for', 'callback', 'until', (select min(s.due_at) from run_steps s
      where s.run_id = p_run and s.state = 'waiting' and s.detail ->> 'for' = 'callback'));
  elsif exists (select from run_steps s where s.run_id = p_run and s.state = 'waiting' and s.due_at <= p_wake_at) then
    return jsonb_build_object('for', 'time', 'until', p_wake_at);
  elsif p_wake_at > statement_timestamp() + interval '1 day'
      and exists (select from child_runs c where c.parent_run_id = p_run and c.state = 'open') then
    return '{"for": "child"}';
  elsif exists (select from run_steps s where s.run_id = p_run and s.state = 'failed' and s.attempt = p_attempt) then
    return jsonb_build_object('for', 'retry', 'until', p_wake_at);
  end if;
  return '{"for": "worker"}';
end $$;

-- Returns the reason why a run that has not ended waits: {for, until, runs}. Returns null while a worker executes the
-- run. `until` is absent for `worker` and `child`, and `runs` is present only for `child`.
create or replace function run_machine.waiting_for(p_run text, p_status text, p_attempt integer, p_wake_at timestamptz)
returns jsonb
language plpgsql stable as $$
declare
  v_reason jsonb := run_machine.wait_reason(p_run, p_status, p_attempt, p_wake_at);
begin
  if v_reason ->> 'for' = 'child' then
    return v_reason || jsonb_build_object('runs', run_machine.awaited_children(p_run));
  end if;
  return v_reason;
end $$;

-- Returns the oldest child runs that have not ended, at most 20: [{id, agent_name, status, for}]. `for` is the reason
-- why the child run itself waits, or null. The function does not read the child runs of a child run, so its cost does
-- not grow with the depth.
create or replace function run_machine.awaited_children(p_run text) returns jsonb
language sql stable as $$
  select to_jsonb(array(
    select jsonb_build_object('id', r.id, 'agent_name', (select g.name from agents g where g.id = r.agent_id), 'status', r.status,
        'for', run_machine.wait_reason(r.id, r.status, r.attempt, r.wake_at) -> 'for')
      from child_runs c join runs r on r.id = c.run_id and r.workspace_id = c.workspace_id
     where c.parent_run_id = p_run and c.state = 'open' order by c.run_id limit 20))
$$;
