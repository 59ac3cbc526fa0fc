-- Closes an approval, and updates its steps and its run. The caller holds the row locks of the approval and the run,
-- and has checked that the approval is open.
--
-- p_decision: approve | edit | reject | answer | mark_succeeded | mark_failed | retry | expire
--
-- v_consequence: continue        the run continues with its next step
--                fail, hand_off  the run ends
--                raise           the step fails, and the run continues, because its definition handles the failure by
--                                `on_failure` or `continue_on_error`
create or replace function run_machine.close_approval(p_approval text, p_status text, p_decision text) returns void
language plpgsql volatile as $$
declare
  v runs%rowtype;
  a approvals%rowtype;
  v_consequence text;
  v_error jsonb;
  v_hand_off jsonb;
begin
  update approvals x set status = p_status, decided_at = clock_timestamp() where x.id = p_approval returning * into a;
  v_consequence := case
    when p_decision not in ('reject', 'expire') then 'continue'
    when p_decision = 'expire' and a.on_timeout <> 'reject' then a.on_timeout
    else a.on_reject end;
  if v_consequence = 'fail' and a.failure_is_handled then v_consequence := 'raise'; end if;
  v_error := run_machine.approval_error(p_approval, p_decision);
  if a.kind = 'question' then
    perform run_machine.settle_question_step(a, p_decision, v_consequence, v_error);
  else
    perform run_machine.settle_approval_steps(p_approval, p_decision, v_consequence, v_error);
  end if;

  if v_consequence = 'fail' then
    select * into v from runs r where r.id = a.run_id;
    perform run_machine.end_run(v, null, run_machine.ending_note('error', 'failed', '', v_error), 'failed', null, v_error);
  elsif v_consequence = 'hand_off' then
    select * into v from runs r where r.id = a.run_id;
    v_hand_off := jsonb_build_object('to', a.hand_off_to, 'reason', v_error -> 'message');
    perform run_machine.end_run(v, null, run_machine.ending_note('hand_off', 'succeeded', coalesce(v_error ->> 'step', ''), v_hand_off),
      'handed_off', v_hand_off, null);
  else
    -- While the workspace is stopped, only the decisions reject and mark_failed are accepted. If the run continues
    -- after such a decision, it does so when the workspace is resumed.
    update runs r set status = 'queued', change_xid = run_machine.current_xid(),
        wake_at = case when exists (select from workspaces w where w.id = r.workspace_id and w.state = 'active') then clock_timestamp() else 'infinity' end
     where r.id = a.run_id and r.status = 'waiting_approval';
  end if;
end $$;

-- Returns the error that p_decision causes in the run. Its field `step` is the id of the step in the definition.
create or replace function run_machine.approval_error(p_approval text, p_decision text) returns jsonb
language sql volatile as $$
  select jsonb_build_object('step', run_machine.step_of(s.path)) || case
      when p_decision = 'mark_failed'
        then jsonb_build_object('code', 'tool_error', 'message', format('A person reported that the call of %s was not carried out.', a.tool))
      when p_decision = 'expire' and a.kind = 'in_doubt'
        then jsonb_build_object('code', 'in_doubt', 'message', format('No person reported the outcome of %s in time.', a.tool))
      when p_decision = 'expire' and a.kind = 'question'
        then jsonb_build_object('code', 'approval_expired', 'message', format('No person answered the question %s in time.', a.policy))
      when p_decision = 'expire'
        then jsonb_build_object('code', 'approval_expired', 'message', format('No person decided the approval %s in time.', a.policy))
      else jsonb_build_object('code', 'approval_rejected', 'message', format('The approval %s was rejected.', a.policy)) end
    from approvals a join run_steps s on s.run_id = a.run_id and s.n = a.n
   where a.id = p_approval
$$;

-- Sets the state of the step that needs the approval, and ends the step that represents the approval in the trace. If
-- no person states the outcome of a call in time, the outcome stays unknown and the step stays `in_doubt`. If the
-- definition handles the failure, the step fails instead. A call that is never made has the duration 0, because the
-- waiting time belongs to the step that represents the approval.
create or replace function run_machine.settle_approval_steps(p_approval text, p_decision text, p_consequence text, p_error jsonb) returns void
language plpgsql volatile as $$
declare
  a approvals%rowtype;
  v_refused boolean := p_decision in ('reject', 'expire');
  v_state text;
begin
  select * into a from approvals x where x.id = p_approval;
  v_state := case p_decision
    when 'approve' then 'ready' when 'edit' then 'ready' when 'retry' then 'interrupted'
    when 'mark_succeeded' then 'succeeded' when 'mark_failed' then 'failed'
    else case when p_consequence = 'raise' then 'failed' when a.kind = 'in_doubt' then 'in_doubt' else 'rejected' end end;
  update run_steps s
     set state = v_state, ended_at = case when v_state in ('ready', 'in_doubt') then null else clock_timestamp() end,
         error = case when v_refused or p_decision = 'mark_failed' then p_error when p_decision = 'retry' then s.error end,
         detail = case
           when v_state <> 'ready' and a.kind = 'tool_call' then coalesce(s.detail, '{}') || '{"duration_ms": 0}'
           when p_decision in ('mark_succeeded', 'mark_failed') then coalesce(s.detail, '{}')
             || jsonb_build_object('response_summary', run_machine.marked_summary(a.decisions -> -1, s.detail))
           else s.detail end
   where s.run_id = a.run_id and s.n = a.n and s.type <> 'approval';
  update run_steps s
     set state = case when not v_refused then 'succeeded' when p_consequence = 'raise' then 'failed' else 'rejected' end,
         ended_at = clock_timestamp(), error = case when v_refused then p_error end,
         output = jsonb_build_object('decision', p_decision, 'status', a.status, 'comment', a.decisions -> -1 -> 'comment',
           'decided_by', to_jsonb(array(select distinct d -> 'by' from jsonb_array_elements(a.decisions) d order by 1)))
   where s.run_id = a.run_id and s.type in ('approval', 'in_doubt') and s.state = 'awaiting_approval';
end $$;

-- Ends the step of a question. The output of the step is the answer. If the question expired and the run continues, the
-- output is null. `detail` contains the decision.
create or replace function run_machine.settle_question_step(a approvals, p_decision text, p_consequence text, p_error jsonb) returns void
language sql volatile as $$
  update run_steps s
     set state = case p_consequence when 'continue' then 'succeeded' when 'raise' then 'failed' else 'rejected' end,
         ended_at = clock_timestamp(), output = coalesce(a.answer, 'null'),
         error = case when p_consequence <> 'continue' then p_error end,
         detail = coalesce(s.detail, '{}') || jsonb_build_object('decision', p_decision, 'comment', a.decisions -> -1 -> 'comment',
           'decided_by', to_jsonb(array(select d -> 'by' from jsonb_array_elements(a.decisions) d)))
   where s.run_id = a.run_id and s.n = a.n and s.state = 'awaiting_approval'
$$;

-- Returns the summary of a call whose unknown outcome a person has stated. It contains the name of the person (`by` in
-- p_decision), the stated outcome (`decision`), and the earlier summary of the call from p_detail.
create or replace function run_machine.marked_summary(p_decision jsonb, p_detail jsonb) returns text
language sql immutable as $$
  select format('%s marked it as %s.', p_decision ->> 'by', case p_decision ->> 'decision' when 'mark_succeeded' then 'succeeded' else 'failed' end)
    || coalesce(' Before that: ' || nullif(run_machine.shown_value(p_detail -> 'response_summary') #>> '{}', ''), '')
$$;

-- Returns the note that ends the trace of a run if an approval ends the run. It has the same form as notes of the
-- interpreter.
create or replace function run_machine.ending_note(p_type text, p_state text, p_path text, p_detail jsonb) returns jsonb
language sql immutable as $$
  select jsonb_build_array(jsonb_build_object('path', p_path, 'type', p_type, 'state', p_state, 'detail', p_detail))
$$;
