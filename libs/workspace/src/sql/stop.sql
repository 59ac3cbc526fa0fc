-- Stops a workspace under the exclusive stop lock, so that a transaction that takes the lock afterwards reads
-- `stopped`. Calls in progress have p_drain_ms to finish. After that time, the workers abort them.
-- If the workspace is already stopped, the function has only two effects. Calls that are still in progress have the new
-- p_drain_ms to finish. If p_cancel_runs is true, the runs that the first stop suspended are cancelled, and the audit
-- log records this.
-- The column has_begun tells whether this call of the function stopped the workspace. The other columns describe the
-- stop that is in effect.
create or replace function workspace.stop(p_workspace text, p_actor text, p_reason text, p_cancel_runs boolean, p_drain_ms integer)
returns table (has_begun boolean, epoch bigint, stopped_at timestamptz, stopped_by text, reason text)
language plpgsql volatile as $$
declare
  v workspaces%rowtype;
begin
  perform workspace.take_stop_lock(p_workspace);
  select * into v from workspaces w where w.id = p_workspace;
  if v.state = 'active' then
    update workspaces w
       set state = 'stopped', epoch = w.epoch + 1, stopped_at = clock_timestamp(), stopped_by = p_actor, stop_reason = p_reason,
           cancel_runs = p_cancel_runs
     where w.id = p_workspace;
  elsif p_cancel_runs and not v.cancel_runs then
    update workspaces w set cancel_runs = true where w.id = p_workspace;
  end if;
  update workspaces w set drain_until = clock_timestamp() + p_drain_ms * interval '1 millisecond' where w.id = p_workspace;
  if v.state = 'active' or (p_cancel_runs and not v.cancel_runs) then
    perform workspace.audit(p_workspace, p_actor, 'workspace.stop', p_workspace, jsonb_build_object(
      'reason', p_reason, 'runs', case when p_cancel_runs then 'cancel' else 'suspend' end));
  end if;
  return query select v.state = 'active', w.epoch, w.stopped_at::timestamptz, w.stopped_by, w.stop_reason
    from workspaces w where w.id = p_workspace;
end $$;

-- Resumes a workspace under the exclusive stop lock. Returns the time at which it was stopped. If the workspace is not
-- stopped, the function changes nothing and returns null.
create or replace function workspace.resume(p_workspace text, p_actor text, p_reason text) returns timestamptz
language plpgsql volatile as $$
declare
  v_stopped_at timestamptz;
begin
  perform pg_advisory_xact_lock(hashtextextended('workspace:' || p_workspace, 0));
  select w.stopped_at into v_stopped_at from workspaces w where w.id = p_workspace and w.state = 'stopped';
  if not found then return null; end if;
  update workspaces w
     set state = 'active', epoch = w.epoch + 1, stopped_at = null, stopped_by = null, stop_reason = null,
         drain_until = null, cancel_runs = false, resumed_at = clock_timestamp()
   where w.id = p_workspace;
  perform workspace.audit(p_workspace, p_actor, 'workspace.resume', p_workspace, jsonb_build_object('reason', p_reason));
  return v_stopped_at;
end $$;
