-- Stops a workspace. The stop takes the stop lock exclusively. Each transaction that commits the intent to make a call
-- takes this lock in shared mode. After the stop, such a transaction therefore reads `stopped` and commits no intent.
--
-- The stop writes one row for any number of runs. The runs are suspended or cancelled in batches afterwards. Running
-- calls have p_drain_ms to finish before their workers abort them. signal_stop notifies the workers in a separate
-- statement, so that a full notification queue cannot make the stop fail.
--
-- A repeated stop changes nothing, with two exceptions. If p_cancel_runs is true, it cancels the runs that the first
-- stop only suspended. The latest p_drain_ms applies to calls that are still running.
create or replace function run_machine.emergency_stop(p_workspace text, p_actor text, p_reason text, p_cancel_runs boolean, p_drain_ms integer)
returns table (epoch bigint, stopped_at timestamptz, stopped_by text, reason text)
language plpgsql volatile as $$
declare
  v record;
begin
  select * into v from workspace.stop(p_workspace, p_actor, p_reason, p_cancel_runs, p_drain_ms);
  if v.has_begun then
    perform events.emit(p_workspace, null, 'workspace.stopped', jsonb_build_object('by', p_actor, 'reason', p_reason));
  end if;
  return query select v.epoch, v.stopped_at, v.stopped_by, v.reason;
end $$;

-- Like emergency_stop, but also returns the running calls in `under_way`: [{runId, n}]. They are read while the stop
-- lock is held. A later read would miss calls that a worker aborts in the meantime.
create or replace function run_machine.stop_workspace(p_workspace text, p_actor text, p_reason text, p_cancel_runs boolean, p_drain_ms integer)
returns table (epoch bigint, stopped_at timestamptz, stopped_by text, reason text, under_way jsonb)
language plpgsql volatile as $$
declare
  v record;
  v_calls jsonb;
begin
  select * into v from run_machine.emergency_stop(p_workspace, p_actor, p_reason, p_cancel_runs, p_drain_ms);
  v_calls := to_jsonb(array(select jsonb_build_object('runId', c.run_id, 'n', c.n) from run_machine.in_flight(p_workspace) c));
  return query select v.epoch, v.stopped_at, v.stopped_by, v.reason, v_calls;
end $$;

-- Notifies the workers that they must abort the calls of a stopped workspace after p_drain_ms. A worker that misses the
-- notification begins no new calls, and detects the stop by its first heartbeat after p_drain_ms.
create or replace function run_machine.signal_stop(p_workspace text, p_drain_ms integer) returns void
language sql volatile as $$
  select pg_notify('workspace_stopped', p_workspace || ' ' || p_drain_ms)
$$;

-- Returns those of the runs p_runs whose calls must be aborted: their workspace is stopped, and the time for running
-- calls to finish has passed.
create or replace function run_machine.stopped_runs(p_runs text[]) returns setof text
language sql stable as $$
  select r.id from runs r join workspaces w on w.id = r.workspace_id
   where r.id = any (p_runs) and w.state = 'stopped' and coalesce(w.drain_until, '-infinity') <= clock_timestamp()
$$;
