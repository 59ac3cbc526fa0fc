-- Releases a run that has nothing to do. If an approval is open, the run waits for a person. If none is open, the run
-- waits for p_pause_ms, or until its first waiting step is due if that is earlier. If p_pause_ms is null and no
-- approval is open, the run stays with its worker, and the function returns false.
create or replace function run_machine.yield_run(p_run text, p_pause_ms bigint) returns boolean
language plpgsql volatile as $$
declare
  v_due timestamptz;
begin
  perform from approvals a where a.run_id = p_run and a.status = 'open';
  if found then
    update runs r
       set status = 'waiting_approval', worker_id = null, change_xid = run_machine.current_xid(),
           active_ms = r.active_ms + round(extract(epoch from clock_timestamp() - r.claimed_at) * 1000)
     where r.id = p_run;
    return true;
  end if;
  if p_pause_ms is null then return false; end if;
  -- If a child run has already ended, the pause is 0. A child run that ends while its parent is running does not make
  -- the parent due, so this must be checked here.
  if exists (select from child_runs c where c.parent_run_id = p_run and c.state = 'ended') then p_pause_ms := 0; end if;
  -- The pause is also 0 if a callback was received while the run was running.
  if exists (select from run_steps s join runs r on r.id = s.run_id and r.attempt = s.attempt
      where s.run_id = p_run and s.type = 'wait' and s.state = 'succeeded' and s.detail ->> 'for' = 'callback') then
    p_pause_ms := 0;
  end if;
  select min(s.due_at) into v_due from run_steps s where s.run_id = p_run and s.state = 'waiting';
  perform run_machine.requeue(p_run, least(v_due, clock_timestamp() + p_pause_ms * interval '1 millisecond'));
  return true;
end $$;
