-- Creates a child run for the call p_call of the run p_parent, at most one for each call. The parent must be running
-- with the fencing token p_attempt. A run that was cancelled or claimed by another worker therefore starts no child
-- run. For the parameters up to p_limits, see create_run.
--
-- p_budget: budget of the parent and its child runs, in millionths of its currency, or null if there is no limit. If
-- this budget or the budget of a run above the parent is used up, the function starts no run.
--
-- verdict: created
--          replayed         the call already has a run
--          fenced           the parent is not running with p_attempt
--          too_deep         the child run would be deeper than p_max_depth
--          budget_exceeded
--          or a verdict of create_run
create or replace function run_machine.create_child_run(
  p_run text, p_workspace text, p_agent text, p_version integer, p_pinned boolean, p_mode text,
  p_trigger jsonb, p_input jsonb, p_labels jsonb, p_initiator text, p_currency text,
  p_endpoint text, p_key text, p_fingerprint bytea, p_limits jsonb,
  p_parent text, p_attempt integer, p_call text, p_max_depth integer, p_budget bigint
) returns table (verdict text, run_id text, version integer, created_at timestamptz)
language plpgsql volatile as $$
declare
  created record;
  v_known text;
  v_depth integer;
begin
  -- The stop lock is taken before the row lock (see _schema.sql).
  perform workspace.stop_lock(p_workspace);
  perform from runs r where r.id = p_parent and r.workspace_id = p_workspace and r.status = 'running' and r.attempt = p_attempt for no key update;
  if not found then
    return query select 'fenced', null::text, null::integer, null::timestamptz;
    return;
  end if;
  select c.run_id into v_known from child_runs c where c.parent_run_id = p_parent and c.call_key = p_call;
  if found then
    return query select 'replayed', v_known, null::integer, null::timestamptz;
    return;
  end if;
  v_depth := 1 + coalesce((select c.depth from child_runs c where c.run_id = p_parent), 0);
  if v_depth > p_max_depth then
    return query select 'too_deep', null::text, null::integer, null::timestamptz;
    return;
  end if;
  if not run_machine.within_budgets(p_parent, p_budget) then
    return query select 'budget_exceeded', null::text, null::integer, null::timestamptz;
    return;
  end if;
  select * into created from run_machine.create_run(p_run, p_workspace, p_agent, p_version, p_pinned, p_mode, p_trigger, p_input,
    p_labels, p_initiator, p_currency, p_endpoint, p_key, p_fingerprint, p_limits);
  if created.verdict = 'created' then
    insert into child_runs (run_id, workspace_id, parent_run_id, call_key, depth, caller_budget_micros)
      values (p_run, p_workspace, p_parent, p_call, v_depth, p_budget);
  end if;
  return query select created.verdict, created.run_id, created.version, created.created_at;
end $$;
