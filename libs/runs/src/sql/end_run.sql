-- Ends a run with one `run.completed` event. Only this function and end_plain_runs set a terminal status. The caller
-- holds the row lock of the run, has read the row v under this lock, and has checked that the run has not ended.
-- p_op: the operation id of the write that ends the run, or null.
-- p_notes: notes for the trace, [{path, type, state, ...}] (see record_notes), or null.
-- The function also closes open approvals and cancels steps that have not begun.
create or replace function run_machine.end_run(
  v runs, p_op uuid, p_notes jsonb, p_status text, p_output jsonb, p_error jsonb
) returns void
language plpgsql volatile as $$
declare
  v_n integer := v.step_n;
begin
  if p_notes is not null then
    v_n := run_machine.record_notes(v.id, v.workspace_id, v.attempt, coalesce(p_op, gen_random_uuid()),
      run_machine.active_epoch(v.workspace_id), v_n, p_notes);
  end if;
  update run_steps s
     set state = 'cancelled', ended_at = clock_timestamp(),
         detail = case when run_machine.is_unsent(s) then coalesce(s.detail, '{}') || '{"duration_ms": 0}' else s.detail end
   where s.run_id = v.id and s.state in ('awaiting_approval', 'ready', 'waiting');
  update approvals a set status = 'cancelled', decided_at = clock_timestamp() where a.run_id = v.id and a.status = 'open';
  update runs r
     set status = p_status, output = p_output, error = p_error, ended_at = clock_timestamp(), worker_id = null, wake_at = null,
         step_n = v_n, last_op = coalesce(p_op, r.last_op), change_xid = run_machine.current_xid(),
         active_ms = r.active_ms + case when r.status = 'running'
           then round(extract(epoch from clock_timestamp() - r.claimed_at) * 1000)::bigint else 0 end
   where r.id = v.id
  returning * into v;
  perform nextval(run_machine.ended_counter(p_status));
  if v.has_files then perform files.runs_ended(array[v.id]); end if;
  -- roll_up_ended_runs adds this row to the statistics later.
  insert into ended_runs (workspace_id, agent_id, status, mode, ended_at, active_ms, cost_micros, currency)
    values (v.workspace_id, v.agent_id, v.status, v.mode, v.ended_at, v.active_ms, v.cost_micros, v.currency);
  perform run_machine.emit_about(v, 'run.completed', '{}');
  perform run_machine.child_ended(v.id);
  if p_status = 'handed_off' then perform run_machine.emit_about(v, 'run.handed_off', '{}'); end if;
  if v.concurrency_max is not null or v.concurrency_max_per_key is not null then
    perform run_machine.free_concurrency(v);
  end if;
end $$;

-- For a step that has not begun, returns whether it is a tool call whose request was never sent. A call that has
-- started a child run and waits for the end of the child run counts as sent.
create or replace function run_machine.is_unsent(s run_steps) returns boolean
language sql stable as $$
  select s.type = 'tool_call'
    and not exists (select from child_runs c where c.parent_run_id = s.run_id and c.call_key = s.run_id || '/' || s.path)
$$;

-- Like end_run, for several running runs at once. The i-th entry of each parameter belongs to the run p_runs[i]. The
-- caller holds the row locks of the runs, and has checked that each run:
-- - is running as attempt p_attempts[i],
-- - has no open approval, no files and no concurrency limit,
-- - is not handed off,
-- - is not an open child run.
create or replace function run_machine.end_plain_runs(
  p_runs text[], p_attempts integer[], p_ops uuid[], p_results jsonb[], p_notes jsonb[], p_statuses text[], p_outputs jsonb[], p_errors jsonb[]
) returns void
language plpgsql volatile as $$
declare
  v_workspaces text[];
  v_ids text[];
  v_events jsonb[];
begin
  perform run_machine.record_plain_results(p_runs, p_attempts, p_results);
  perform run_machine.record_notes_of_runs(p_runs, p_ops, p_notes);
  update run_steps s
     set state = 'cancelled', ended_at = clock_timestamp(),
         detail = case when run_machine.is_unsent(s) then coalesce(s.detail, '{}') || '{"duration_ms": 0}' else s.detail end
   where s.run_id = any (p_runs) and s.state in ('awaiting_approval', 'ready', 'waiting');
  with ended as (
    update runs r
       set status = c.status, output = c.output, error = c.error, ended_at = clock_timestamp(), worker_id = null, wake_at = null,
           step_n = r.step_n + coalesce(jsonb_array_length(c.notes), 0), last_op = c.op,
           change_xid = run_machine.current_xid(),
           active_ms = r.active_ms + round(extract(epoch from clock_timestamp() - r.claimed_at) * 1000)::bigint
      from unnest(p_runs, p_ops, p_notes, p_statuses, p_outputs, p_errors) as c(run, op, notes, status, output, error)
     where r.id = c.run
    returning r.id, r.workspace_id, r.agent_id, r.version, r.status, r.mode, r.ended_at, r.active_ms, r.cost_micros, r.currency,
      nextval(run_machine.ended_counter(r.status))),
  recorded as (
    insert into ended_runs (workspace_id, agent_id, status, mode, ended_at, active_ms, cost_micros, currency)
      select e.workspace_id, e.agent_id, e.status, e.mode, e.ended_at, e.active_ms, e.cost_micros, e.currency from ended e)
  select array_agg(e.workspace_id), array_agg(e.id),
      array_agg(jsonb_build_object('run', e.id, 'agent', e.agent_id, 'version', e.version, 'status', e.status))
    into v_workspaces, v_ids, v_events
    from ended e;
  perform events.emit_all('run.completed', v_workspaces, v_ids, v_events);
end $$;

create or replace function run_machine.ended_counter(p_status text) returns regclass
language sql immutable as $$
  select case p_status
    when 'succeeded' then 'run_machine.ended_succeeded'::regclass when 'handed_off' then 'run_machine.ended_handed_off'::regclass
    when 'failed' then 'run_machine.ended_failed'::regclass else 'run_machine.ended_cancelled'::regclass end
$$;
