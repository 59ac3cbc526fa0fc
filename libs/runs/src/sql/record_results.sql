-- Records the results of waits, and of calls that attempt p_attempt began: [{n, state, output, error, detail, cost,
-- opaque, messages}].
-- Results are recorded in any status of the run, so that the trace shows all calls that were made.
--
-- The state `ready` resets a step whose call was never sent, so that the call can begin again. The caller guarantees
-- that the call was never sent. If the run has ended, the step becomes `cancelled` instead.
--
-- A call that has a result without having begun, for example a simulated one, begins now: the time that people needed
-- to approve it does not count.
--
-- A worker that was presumed dead may report the outcome of a call after a person was asked for this outcome. The
-- approval is then cancelled, and the duration of the call ends at the report. The result of a reconciliation
-- (detail.reconciled) does not change the duration of the call.
create or replace function run_machine.record_results(p_run text, p_attempt integer, p_results jsonb) returns void
language plpgsql volatile as $$
begin
  if p_results @? '$[*].cost' then perform run_machine.record_costs(p_run, p_results); end if;
  if p_results @? '$[*].detail.warning' then perform run_machine.record_warnings(p_run, p_results); end if;
  if p_results @? '$[*].opaque' then perform run_machine.record_turn_states(p_run, p_attempt, p_results); end if;
  if p_results @? '$[*].messages' then perform run_machine.record_turn_messages(p_run, p_attempt, p_results); end if;
  update run_steps s
     set state = x.state, output = x.output, error = x.error,
         detail = case when x.state = 'in_doubt' then run_machine.with_duration(x.detail, s.started_at)
           when x.detail ? 'reconciled' then coalesce(s.detail, '{}') || x.detail
           else coalesce((s.detail - 'duration_ms') || x.detail, s.detail, x.detail) end,
         started_at = case when s.state = 'ready' then statement_timestamp() else s.started_at end,
         ended_at = case when x.state in ('ready', 'in_doubt') then null else clock_timestamp() end
    from runs r, lateral (
      select y.n, case when y.state = 'ready' and r.ended_at is not null then 'cancelled' else y.state end as state, y.output, y.error, y.detail
        from jsonb_to_recordset(p_results) as y(n integer, state text, output jsonb, error jsonb, detail jsonb)) x
   where r.id = p_run and s.run_id = p_run and s.n = x.n
     and ((s.attempt = p_attempt and s.state in ('started', 'in_doubt')) or s.state = 'waiting'
       or (s.state in ('in_doubt', 'ready') and r.status = 'running' and r.attempt = p_attempt));
  -- A step in the state `ready` waits until its call begins. A run that has ended begins no calls, so its ready steps
  -- are cancelled.
  if p_results @> '[{"state": "ready"}]' then
    update run_steps s set state = 'cancelled', ended_at = clock_timestamp()
     where s.run_id = p_run and s.state = 'ready' and exists (select from runs r where r.id = p_run and r.ended_at is not null);
  end if;
  update approvals a set status = 'cancelled', decided_at = clock_timestamp()
    from run_steps s
   where a.run_id = p_run and a.status = 'open' and a.kind = 'in_doubt' and s.run_id = p_run and s.n = a.n and s.state <> 'in_doubt';
  if found then
    update run_steps s set state = 'cancelled', ended_at = clock_timestamp()
     where s.run_id = p_run and s.type = 'in_doubt' and s.state = 'awaiting_approval';
    update runs r set status = 'queued', wake_at = clock_timestamp(), change_xid = run_machine.current_xid()
     where r.id = p_run and r.status = 'waiting_approval';
  end if;
end $$;

-- Like record_results, for the plain results of several calls at once: p_results[i] are the results of the run
-- p_runs[i]. The caller holds the row locks of the runs. It has checked that each run is running as attempt
-- p_attempts[i] and has no open approval, and that the results are plain (are_plain_results).
create or replace function run_machine.record_plain_results(p_runs text[], p_attempts integer[], p_results jsonb[]) returns void
language plpgsql volatile as $$
begin
  update run_steps s
     set state = x.state, output = x.output, error = x.error,
         detail = case when x.state = 'in_doubt' then run_machine.with_duration(x.detail, s.started_at)
           when x.detail ? 'reconciled' then coalesce(s.detail, '{}') || x.detail
           else coalesce((s.detail - 'duration_ms') || x.detail, s.detail, x.detail) end,
         started_at = case when s.state = 'ready' then statement_timestamp() else s.started_at end,
         ended_at = case when x.state in ('ready', 'in_doubt') then null else clock_timestamp() end
    from unnest(p_runs, p_attempts, p_results) as c(run, attempt, results),
         jsonb_to_recordset(c.results) as x(n integer, state text, output jsonb, error jsonb, detail jsonb)
   where s.run_id = c.run and s.n = x.n
     and ((s.attempt = c.attempt and s.state = 'started') or s.state in ('waiting', 'in_doubt', 'ready'));
end $$;
