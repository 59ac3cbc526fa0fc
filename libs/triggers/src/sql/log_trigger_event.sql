create or replace function triggers.log_trigger_event(
  p_event text, p_workspace text, p_agent text, p_trigger text, p_type text, p_outcome text, p_reason text, p_errors jsonb,
  p_version integer, p_run text, p_key text
) returns void
language sql volatile as $$
  insert into trigger_events (agent_id, id, workspace_id, trigger_id, type, outcome, reason, errors, version, run_id, key)
    values (p_agent, p_event, p_workspace, p_trigger, p_type, p_outcome, p_reason, p_errors, p_version, p_run, p_key)
$$;
