-- Creates a run that repeats p_source, an ended run of the same workspace. If p_before is not null, the same
-- transaction copies the steps that p_source recorded before this position. A worker finds these steps as if an earlier
-- attempt had recorded them.
--
-- Copies calls, code and waits with their results. Does not copy notes of the plan (assertions, outputs), because the
-- new run records them again. Copies the decisions of people only if p_approvals is true, because an approval is valid
-- for only one run.
--
-- Parameters up to p_limits, and the verdicts: see create_run.
create or replace function run_machine.create_replay(
  p_run text, p_workspace text, p_agent text, p_version integer, p_pinned boolean, p_mode text,
  p_trigger jsonb, p_input jsonb, p_labels jsonb, p_initiator text, p_currency text,
  p_endpoint text, p_key text, p_fingerprint bytea, p_limits jsonb,
  p_source text, p_before integer, p_approvals boolean
) returns table (verdict text, run_id text, version integer, created_at timestamptz)
language plpgsql volatile as $$
declare
  created record;
  v_now timestamptz;
  v_copied integer;
begin
  select * into created from run_machine.create_run(p_run, p_workspace, p_agent, p_version, p_pinned, p_mode, p_trigger, p_input,
    p_labels, p_initiator, p_currency, p_endpoint, p_key, p_fingerprint, p_limits);
  if created.verdict = 'created' then
    -- If the caller repeats the call after a lost response, replay_of is already set, and the steps are not copied
    -- again.
    update runs r set replay_of = p_source where r.id = p_run and r.replay_of is null;
    if found and p_before is not null then
      v_now := clock_timestamp();
      insert into run_steps (run_id, n, workspace_id, path, try, type, tool, scope, effect, state, attempt, op, epoch,
          request, output, error, detail, started_at, ended_at)
        select p_run, 1 + row_number() over (order by s.n), p_workspace, s.path, s.try, s.type, s.tool, s.scope, s.effect, s.state,
          0, gen_random_uuid(), w.epoch, s.request, s.output, s.error,
          coalesce(s.detail, '{}') || jsonb_build_object('recorded', true, 'recorded_from', s.run_id || '.' || s.n), v_now, v_now
        from run_steps s join workspaces w on w.id = s.workspace_id
        where s.workspace_id = p_workspace and s.run_id = p_source and s.n < p_before
          and s.state in ('succeeded', 'failed', 'denied', 'rejected', 'simulated')
          -- Excludes paths with #, which belong to the approval of a call or to the reconciliation of its outcome.
          and s.path not like '%#%' and (s.type in ('tool_call', 'model_call', 'wait', 'code') or (p_approvals and s.type = 'approval'));
      get diagnostics v_copied = row_count;
      update runs r set step_n = 1 + v_copied where r.id = p_run;
    end if;
  end if;
  return query select created.verdict, created.run_id, created.version, created.created_at;
end $$;
