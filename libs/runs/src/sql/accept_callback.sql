-- Records the body of a request to the callback URL of step p_path. If the step is waiting for the callback, the same
-- commit ends the step and makes the run due, so an accepted callback is never lost. If the step has not begun, the
-- body is stored until it begins.
-- verdict: accepted | closed (used, expired, or the run has ended) | not_found
create or replace function run_machine.accept_callback(p_run text, p_path text, p_body jsonb) returns text
language plpgsql volatile as $$
declare
  v runs%rowtype;
  v_verdict text;
begin
  select * into v from runs r where r.id = p_run for no key update;
  v_verdict := run_machine.is_callback_open(p_run, p_path);
  if v_verdict <> 'accepted' then return v_verdict; end if;
  -- A worker that is executing the run does not know this result. The step gets the current `attempt` of the run, so
  -- that yield_run finds the result and makes the run due.
  update run_steps s set state = 'succeeded', output = p_body, ended_at = clock_timestamp(), attempt = v.attempt
   where s.run_id = p_run and s.path = p_path and s.type = 'wait' and s.state = 'waiting';
  if found then
    update runs r set wake_at = clock_timestamp() where r.id = p_run and r.status = 'queued' and r.wake_at <> 'infinity';
  else
    insert into run_callbacks (run_id, path, workspace_id, body) values (p_run, p_path, v.workspace_id, p_body);
  end if;
  return 'accepted';
end $$;

-- Returns the verdict that accept_callback would return now, and writes nothing.
create or replace function run_machine.is_callback_open(p_run text, p_path text) returns text
language plpgsql volatile as $$
declare
  v runs%rowtype;
  step run_steps%rowtype;
begin
  select * into v from runs r where r.id = p_run;
  if not found then return 'not_found'; end if;
  if v.ended_at is not null then return 'closed'; end if;
  select * into step from run_steps s where s.run_id = p_run and s.path = p_path and s.type = 'wait' limit 1;
  if found then
    return case when step.state = 'waiting' and step.due_at > clock_timestamp() then 'accepted' else 'closed' end;
  end if;
  perform from run_callbacks c where c.run_id = p_run and c.path = p_path;
  return case when found then 'closed' else 'accepted' end;
end $$;

-- For each of the runs p_runs that waits for a callback, returns the path of the first step that waits for a callback.
create or replace function run_machine.awaited_callbacks(p_workspace text, p_runs text[]) returns table (run_id text, path text)
language sql stable as $$
  select distinct on (s.run_id) s.run_id, s.path from run_steps s
   where s.workspace_id = p_workspace and s.run_id = any (p_runs) and s.state = 'waiting' and s.detail ->> 'for' = 'callback'
   order by s.run_id, s.n
$$;

-- Marks step p_n as a wait for a callback. If the callback has already been received, the step ends with the stored
-- body.
create or replace function run_machine.begin_callback(p_run text, p_n integer) returns void
language plpgsql volatile as $$
declare
  v_body jsonb;
begin
  update run_steps s set detail = '{"for": "callback"}' where s.run_id = p_run and s.n = p_n;
  delete from run_callbacks c using run_steps s
   where s.run_id = p_run and s.n = p_n and c.run_id = p_run and c.path = s.path
  returning c.body into v_body;
  if found then
    update run_steps s set state = 'succeeded', output = v_body, ended_at = clock_timestamp() where s.run_id = p_run and s.n = p_n;
  end if;
end $$;
