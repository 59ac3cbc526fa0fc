-- Records the next steps of the run from position p_n + 1 on: calls that begin now, calls and steps that need an
-- approval first, and waits. Returns the last used position.
--
-- An intent with `resumes` continues the step at that position, always with the stored request. The effect depends on
-- the state of that step, and on whether the intent asks a person (`gate`):
--   ready        without gate: the step begins. It was approved, or was reset before its call was sent.
--                with gate: nothing changes. A worker that was presumed dead has just reported that it sent no call.
--   interrupted  another attempt begins, as a new step (only without gate)
--   in_doubt     a person is asked for the outcome (only with gate)
--   ended        nothing changes; the caller reads the result
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
      as x(path text, try integer, type text, tool text, scope text, effect text, request jsonb, resumes integer, gate jsonb,
        due_in_ms bigint, due_at timestamptz, callback boolean)
  loop
    if intent.resumes is null then
      if intent.gate is not null then
        v_n := v_n + 1;
        insert into run_steps (run_id, n, workspace_id, path, type, state, attempt, op, epoch, detail)
          values (p_run, v_n, p_workspace, intent.path || '#approval', 'approval', 'awaiting_approval', p_attempt, p_op, p_epoch,
            jsonb_build_object('policy', intent.gate ->> 'policy', 'approvers', intent.gate -> 'approvers')
              || case when intent.gate ? 'form' then jsonb_build_object('title', intent.gate -> 'title') else '{}' end);
      end if;
      -- An approval step has one row. Every other step that needs an approval has a second row for the approval.
      if intent.type = 'approval' then
        update run_steps s set path = intent.path where s.run_id = p_run and s.n = v_n;
      else
        v_n := v_n + 1;
        insert into run_steps (run_id, n, workspace_id, path, try, type, tool, scope, effect, state, attempt, op, epoch, request, due_at)
          values (p_run, v_n, p_workspace, intent.path, coalesce(intent.try, 1), intent.type, intent.tool, intent.scope, intent.effect,
            case when intent.type = 'wait' then 'waiting' when intent.gate is null then 'started' else 'awaiting_approval' end,
            p_attempt, p_op, p_epoch, intent.request,
            coalesce(intent.due_at, clock_timestamp() + intent.due_in_ms * interval '1 millisecond'));
      end if;
      if intent.callback then
        perform run_machine.begin_callback(p_run, v_n);
      end if;
      if intent.gate is not null then
        perform run_machine.open_approval(p_run, v_n, intent.gate);
      end if;
      continue;
    end if;

    select * into strict step from run_steps s where s.run_id = p_run and s.n = intent.resumes;
    if intent.gate is not null and step.state = 'in_doubt' then
      v_n := v_n + 1;
      insert into run_steps (run_id, n, workspace_id, path, type, state, attempt, op, epoch, detail)
        values (p_run, v_n, p_workspace, step.path || '#in_doubt', 'in_doubt', 'awaiting_approval', p_attempt, p_op, p_epoch,
          jsonb_build_object('policy', intent.gate ->> 'policy', 'approvers', intent.gate -> 'approvers'));
      perform run_machine.open_approval(p_run, step.n, intent.gate);
    elsif intent.gate is null and step.state = 'ready' then
      update run_steps s set state = 'started', attempt = p_attempt, op = p_op, epoch = p_epoch, started_at = clock_timestamp()
       where s.run_id = p_run and s.n = step.n;
    elsif intent.gate is null and step.state = 'interrupted' then
      v_n := v_n + 1;
      insert into run_steps (run_id, n, workspace_id, path, try, type, tool, scope, effect, state, attempt, op, epoch, request)
        values (p_run, v_n, p_workspace, step.path, step.try + 1, step.type, step.tool, step.scope, step.effect, 'started',
          p_attempt, p_op, p_epoch, step.request);
    elsif step.ended_at is null and step.state <> 'ready' then
      raise exception 'step % of run % is %, it cannot be resumed', step.n, p_run, step.state;
    end if;
  end loop;
  return v_n;
end $$;

-- Returns whether all intents are calls that begin now: they resume no step and need no approval.
create or replace function run_machine.are_plain_intents(p_intents jsonb) returns boolean
language plpgsql immutable as $$
begin
  return p_intents is null or not p_intents @? '$[*] ? (exists(@.resumes) || exists(@.gate) || (@.type != "tool_call" && @.type != "model_call"))';
end $$;

-- Records plain intents (see are_plain_intents) of several runs at once. For the run p_runs[i], begins the calls
-- p_intents[i], or no call if p_intents[i] is null. The operation p_ops[i] also writes the notes p_notes[i]. Notes get
-- the next positions in the trace, and calls get the positions after them. The caller holds the row locks of the runs
-- and increases their step_n.
create or replace function run_machine.record_plain_intents(p_runs text[], p_ops uuid[], p_notes jsonb[], p_intents jsonb[]) returns void
language plpgsql volatile as $$
begin
  insert into run_steps (run_id, n, workspace_id, path, try, type, tool, scope, effect, state, attempt, op, epoch, request)
    select r.id, r.step_n + coalesce(jsonb_array_length(c.notes), 0) + x.position, r.workspace_id, x.path, coalesce(x.try, 1), x.type,
      x.tool, x.scope, x.effect, 'started', r.attempt, c.op, w.epoch, x.request
      from unnest(p_runs, p_ops, p_notes, p_intents) as c(run, op, notes, intents)
      join runs r on r.id = c.run
      join workspaces w on w.id = r.workspace_id,
      rows from (jsonb_to_recordset(c.intents) as (path text, try integer, type text, tool text, scope text, effect text, request jsonb))
      with ordinality as x(path, try, type, tool, scope, effect, request, position)
     where c.intents is not null;
end $$;
