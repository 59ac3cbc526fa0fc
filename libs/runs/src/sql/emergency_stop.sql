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
  v workspaces%rowtype;
begin
  perform pg_advisory_xact_lock(hashtextextended('workspace:' || p_workspace, 0));
  select * into v from workspaces w where w.id = p_workspace;
  if v.state = 'active' then
    update workspaces w
       set state = 'stopped', epoch = w.epoch + 1, stopped_at = clock_timestamp(), stopped_by = p_actor, stop_reason = p_reason,
           cancel_runs = p_cancel_runs
     where w.id = p_workspace;
    insert into events (id, workspace_id, type, data)
      values (run_machine.new_id('evt'), p_workspace, 'workspace.stopped', jsonb_build_object('by', p_actor, 'reason', p_reason));
  elsif p_cancel_runs and not v.cancel_runs then
    update workspaces w set cancel_runs = true where w.id = p_workspace;
  end if;
  update workspaces w set drain_until = clock_timestamp() + p_drain_ms * interval '1 millisecond' where w.id = p_workspace;
  if v.state = 'active' or (p_cancel_runs and not v.cancel_runs) then
    perform run_machine.audit(p_workspace, p_actor, 'workspace.stop', p_workspace, jsonb_build_object(
      'reason', p_reason, 'runs', case when p_cancel_runs then 'cancel' else 'suspend' end));
  end if;
  return query select w.epoch, w.stopped_at::timestamptz, w.stopped_by, w.stop_reason from workspaces w where w.id = p_workspace;
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
