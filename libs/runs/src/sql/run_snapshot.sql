-- Returns the snapshot of a run and its approvals for an event. The snapshot contains the columns that read/run.view.ts
-- and read/approval.view.ts present, at the time of the commit that causes the event. It contains no sealed values,
-- only the redacted form of each. A rotation of the encryption key does not encrypt the values in events again.
create or replace function run_machine.run_snapshot(p_run text) returns json
language sql stable as $$
  select row_to_json(x) from (
    select r.id, r.agent_id, (select g.name from agents g where g.id = r.agent_id) as agent_name, r.version, r.mode, r.status,
        run_machine.waiting_for(r.id, r.status, r.attempt, r.wake_at) as waiting, run_machine.shown_value(r.trigger) as trigger,
        run_machine.shown_value(r.input) as input, run_machine.shown_value(r.output) as output,
        (select json_agg(run_machine.approval_snapshot(a) order by a.id) from approvals a where a.run_id = r.id) as approvals,
        r.active_ms, r.cost_micros, r.cost_partial, r.input_tokens, r.output_tokens, r.cache_read_tokens, r.cache_write_tokens,
        r.reasoning_tokens, r.currency, r.created_at, r.ended_at, r.error, r.labels, r.initiator,
        r.replay_of, r.cancel_reason, r.warnings
      from runs r where r.id = p_run) x
$$;

create or replace function run_machine.approval_snapshot(p_approval approvals) returns json
language sql stable as $$
  select row_to_json(x) from (
    select p_approval.id, p_approval.tool, p_approval.reason, p_approval.approvers, p_approval.status, p_approval.run_id,
        p_approval.agent_id, (select g.name from agents g where g.id = p_approval.agent_id) as agent_name, p_approval.version, p_approval.kind, p_approval.policy,
        run_machine.shown_value(p_approval.request) as request, run_machine.shown_value(p_approval.show) as show,
        p_approval.request_revision, p_approval.title, p_approval.form, run_machine.shown_value(p_approval.answer) as answer,
        p_approval.allowed_decisions, p_approval.required, p_approval.decisions,
        p_approval.opened_at, p_approval.expires_at, p_approval.decided_at,
        r.mode, r.initiator, r.trigger ->> 'type' as trigger_type
      from runs r where r.id = p_approval.run_id) x
$$;
