-- Recovers the runs that belong to p_worker according to the database, but that p_worker does not execute. This happens
-- if the response to a claim was lost, or if a claim was committed after the worker had stopped waiting for its
-- response. p_known are the runs that the worker executes. Skips claims younger than p_older_ms, because their response
-- may still arrive. One commit releases the ownership and recovers the run. If the response arrives later, the first
-- write of the worker gets the verdict `fenced`.
-- verdict: requeued | failed (see recover)
create or replace function run_machine.release_ownership(p_worker text, p_known text[], p_older_ms integer, p_max_recoveries integer)
returns table (run_id text, verdict text)
language plpgsql volatile as $$
declare
  v_run text;
begin
  for v_run in
    select r.id from runs r
     where r.worker_id = p_worker and r.status = 'running' and not r.id = any (p_known)
       and r.claimed_at < clock_timestamp() - p_older_ms * interval '1 millisecond'
     for no key update skip locked
  loop
    -- Changes the owner, because recover accepts only runs whose owner has no valid lease.
    update runs r set worker_id = p_worker || '/forgotten' where r.id = v_run;
    return query select v_run, x.verdict from run_machine.recover(v_run, p_max_recoveries) x;
  end loop;
end $$;
