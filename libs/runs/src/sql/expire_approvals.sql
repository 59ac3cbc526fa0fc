-- Returns the ids of open approvals whose deadline has passed, and their runs, for expire_approval. Approvals do not
-- expire while their workspace is stopped.
create or replace function run_machine.due_approvals(p_limit integer) returns table (approval_id text, run_id text)
language sql stable as $$
  select a.id, a.run_id from approvals a
   where a.status = 'open' and a.expires_at <= statement_timestamp()
     and exists (select from workspaces w where w.id = a.workspace_id and w.state = 'active')
   order by a.expires_at limit p_limit
$$;

-- Closes an approval whose deadline has passed. Its rule `on_timeout` determines how the run continues or ends, but
-- never approves the request. Returns false if the approval is no longer open or its deadline has not passed.
create or replace function run_machine.expire_approval(p_approval text, p_run text) returns boolean
language plpgsql volatile as $$
declare
  v_workspace text;
begin
  select r.workspace_id into v_workspace from runs r where r.id = p_run;
  perform workspace.stop_lock(v_workspace);
  perform from runs r where r.id = p_run for no key update;
  return run_machine.expire_if_due(p_approval);
end $$;

-- Closes the approval if its deadline has passed. The caller holds the stop lock of the workspace and the row lock of
-- the run.
create or replace function run_machine.expire_if_due(p_approval text) returns boolean
language plpgsql volatile as $$
declare
  v_run text;
begin
  select a.run_id into v_run from approvals a
   where a.id = p_approval and a.status = 'open' and a.expires_at <= clock_timestamp()
     and exists (select from workspaces w where w.id = a.workspace_id and w.state = 'active')
   for no key update of a;
  if not found then return false; end if;
  perform run_machine.emit('approval.expired', v_run, jsonb_build_object('approval', p_approval));
  perform run_machine.close_approval(p_approval, 'expired', 'expire');
  return true;
end $$;
