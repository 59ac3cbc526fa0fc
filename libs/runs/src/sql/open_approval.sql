-- Opens the approval for which step p_n of the run waits, with one `run.approval_requested` event.
-- p_gate {kind, policy, reason, approvers, required, self_approval, show, allowed_decisions, timeout_ms, on_timeout,
--         on_reject, hand_off_to, failure_is_handled, title?, form?}
-- Column `tool` of the approval: the operation of the call that needs approval, or the id of the step if the step is an
-- approval or a question.
create or replace function run_machine.open_approval(p_run text, p_n integer, p_gate jsonb) returns void
language plpgsql volatile as $$
declare
  v_id text := platform.new_id('apr');
begin
  insert into approvals (id, workspace_id, run_id, agent_id, version, n, kind, tool, policy, reason, approvers, required,
      self_approval, request, show, allowed_decisions, on_timeout, on_reject, hand_off_to, failure_is_handled, title, form, expires_at)
    select v_id, r.workspace_id, r.id, r.agent_id, r.version, s.n, g.kind, case when g.kind in ('step', 'question') then run_machine.step_of(s.path) else s.tool end, g.policy, g.reason, g.approvers, g.required,
      g.self_approval, s.request, g.show, g.allowed_decisions, g.on_timeout, g.on_reject, g.hand_off_to, g.failure_is_handled,
      g.title, g.form,
      clock_timestamp() + g.timeout_ms * interval '1 millisecond'
    from jsonb_to_record(p_gate) as g(kind text, policy text, reason text, approvers text[], required integer,
        self_approval boolean, show jsonb, allowed_decisions text[], timeout_ms bigint, on_timeout text, on_reject text,
        hand_off_to text[], failure_is_handled boolean, title text, form jsonb),
      runs r join run_steps s on s.run_id = r.id
    where r.id = p_run and s.n = p_n;
  update run_steps s set detail = s.detail || jsonb_build_object('approval', v_id)
   where s.run_id = p_run and s.type in ('approval', 'in_doubt') and s.state = 'awaiting_approval';
  perform run_machine.emit('run.approval_requested', p_run, jsonb_build_object('approval', v_id));
end $$;
