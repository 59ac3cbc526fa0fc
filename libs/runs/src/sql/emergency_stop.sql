-- Stops a workspace. The exclusive lock orders the stop against every intent: whoever commits an intent afterwards has read
-- `stopped`. Touches one row however many runs exist; what happens to the runs is done after it, a batch at a time.
-- Calls under way have p_drain_ms to end by themselves before their workers break them off.
-- Repeating it changes nothing, except that p_cancel_runs decides about the runs of a stop that had only suspended them, and
-- that calls still under way have the time that was said last.
-- Workers are told by signal_stop, in a statement of its own: a full notification queue must not be able to refuse a stop.
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

-- The same, with the calls that are under way: [{runId, n}]. They are read while the lock is held, since one that a worker
-- breaks off between the stop and a later look would be in nobody's list.
create or replace function run_machine.stop_workspace(p_workspace text, p_actor text, p_reason text, p_cancel_runs boolean, p_drain_ms integer)
returns table (epoch bigint, stopped_at timestamptz, stopped_by text, reason text, under_way jsonb)
language plpgsql volatile as $$
declare
  v record;
  v_calls jsonb;
begin
  select * into v from run_machine.emergency_stop(p_workspace, p_actor, p_reason, p_cancel_runs, p_drain_ms);
  select coalesce(jsonb_agg(jsonb_build_object('runId', c.run_id, 'n', c.n)), '[]') into v_calls from run_machine.in_flight(p_workspace) c;
  return query select v.epoch, v.stopped_at, v.stopped_by, v.reason, v_calls;
end $$;

-- Tells every worker that listens to break off the calls of a stopped workspace in p_drain_ms. A hint: a worker that does not
-- hear it learns of the stop from a beat after that time, and begins nothing before.
create or replace function run_machine.signal_stop(p_workspace text, p_drain_ms integer) returns void
language sql volatile as $$
  select pg_notify('workspace_stopped', p_workspace || ' ' || p_drain_ms)
$$;

-- Which of p_runs are to be broken off: their workspace is stopped, and calls under way have had their time.
create or replace function run_machine.stopped_runs(p_runs text[]) returns setof text
language sql stable as $$
  select r.id from runs r join workspaces w on w.id = r.workspace_id
   where r.id = any (p_runs) and w.state = 'stopped' and coalesce(w.drain_until, '-infinity') <= clock_timestamp()
$$;
