-- A run as GET /v1/runs/{id} shows it, for the messages about it. What a message says has to be read in the transaction that
-- makes it true, so it is written here a second time; test/e2e/webhooks.e2e-spec.ts compares the two.
create or replace function run_machine.shown_run(p_run text) returns json
language sql stable as $$
  select json_build_object(
      'id', r.id, 'agent', r.agent_id, 'version', r.version, 'mode', r.mode, 'status', r.status,
      'trigger', run_machine.shown_value(r.trigger), 'input', run_machine.shown_value(r.input),
      'output', run_machine.shown_output(r.output),
      'approvals', coalesce((select json_agg(run_machine.shown_approval(a.id) order by a.id) from approvals a where a.run_id = r.id), '[]'),
      'started_at', platform.iso_time(r.created_at), 'ended_at', platform.iso_time(r.ended_at),
      'duration_ms', case when r.ended_at is not null then r.active_ms end,
      'cost', jsonb_strip_nulls(jsonb_build_object('amount', run_machine.shown_micros(r.cost_micros), 'currency', r.currency,
        'partial', case when r.cost_partial then true end)),
      'created_at', platform.iso_time(r.created_at), 'error', r.error, 'labels', r.labels, 'initiator', r.initiator,
      'replay_of', r.replay_of, 'cancel_reason', r.cancel_reason, 'warnings', r.warnings)
    from runs r where r.id = p_run
$$;

-- The output of a run, which is an object whatever was made of it. The counterpart of shownOutput in privacy/sealed-value.ts.
create or replace function run_machine.shown_output(p_output jsonb) returns jsonb
language sql immutable as $$
  select case jsonb_typeof(x.shown) when 'object' then x.shown when 'null' then null else jsonb_build_object('value', x.shown) end
    from (select run_machine.shown_value(p_output) as shown) x where p_output is not null
$$;

-- An approval as GET /v1/approvals shows it.
create or replace function run_machine.shown_approval(p_approval text) returns json
language sql stable as $$
  select json_build_object(
      'id', a.id, 'tool', a.tool, 'reason', a.reason, 'approvers', a.approvers, 'status', a.status, 'run', a.run_id,
      'agent', a.agent_id, 'version', a.version, 'kind', a.kind, 'policy', a.policy, 'request', run_machine.shown_value(a.request),
      'show', run_machine.shown_value(a.show), 'request_revision', a.request_revision,
      'allowed_decisions', a.allowed_decisions, 'required', a.required, 'decisions', a.decisions,
      'opened_at', platform.iso_time(a.opened_at), 'expires_at', platform.iso_time(a.expires_at),
      'decided_at', platform.iso_time(a.decided_at))
    from approvals a where a.id = p_approval
$$;

-- Millionths as a decimal with at least two places and no more than needed.
create or replace function run_machine.shown_micros(p_micros bigint) returns text
language sql immutable as $$
  select case when min_scale(p_micros / 1000000.0) < 2 then round(p_micros / 1000000.0, 2) else trim_scale(p_micros / 1000000.0) end::text
$$;
