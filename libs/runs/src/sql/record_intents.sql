-- Begins calls, from position p_n + 1 on. An intent that resumes a step runs the stored request again, never a new one:
-- a `ready` step (approved, or taken back before it began) is the same step, an `interrupted` one gets another try.
-- Returns the last position used.
create or replace function run_machine.record_intents(
  p_run text, p_workspace text, p_attempt integer, p_op uuid, p_epoch bigint, p_n integer, p_intents jsonb
) returns integer
language plpgsql volatile as $$
declare
  intent record;
  step run_steps%rowtype;
  v_n integer := p_n;
begin
  for intent in
    select * from jsonb_to_recordset(p_intents)
      as x(path text, type text, tool text, scope text, effect text, request jsonb, resumes integer)
  loop
    if intent.resumes is null then
      v_n := v_n + 1;
      insert into run_steps (run_id, n, workspace_id, path, type, tool, scope, effect, state, attempt, op, epoch, request)
        values (p_run, v_n, p_workspace, intent.path, intent.type, intent.tool, intent.scope, intent.effect, 'started',
          p_attempt, p_op, p_epoch, intent.request);
      continue;
    end if;
    select * into strict step from run_steps s where s.run_id = p_run and s.n = intent.resumes and s.path = intent.path;
    if step.state = 'ready' then
      update run_steps s set state = 'started', attempt = p_attempt, op = p_op, epoch = p_epoch, started_at = clock_timestamp()
       where s.run_id = p_run and s.n = step.n;
    elsif step.state = 'interrupted' then
      v_n := v_n + 1;
      insert into run_steps (run_id, n, workspace_id, path, try, type, tool, scope, effect, state, attempt, op, epoch, request)
        values (p_run, v_n, p_workspace, step.path, step.try + 1, step.type, step.tool, step.scope, step.effect, 'started',
          p_attempt, p_op, p_epoch, step.request);
    else
      raise exception 'step % of run % is %, it cannot be resumed', step.n, p_run, step.state;
    end if;
  end loop;
  return v_n;
end $$;
