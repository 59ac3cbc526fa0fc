-- Recovers the runs that p_worker owns without knowing it. This happens if the response to a claim was lost, or if a
-- claim was committed after the worker had given up waiting for it. p_known are the runs that the worker knows. Claims
-- younger than p_older_ms are skipped, because their response may still arrive. The ownership is released and the run
-- is recovered in one commit, so if the response arrives later, the first write of the worker is fenced.
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
    -- Changes the owner, because recover accepts only runs without a live owner.
    update runs r set worker_id = p_worker || '/forgotten' where r.id = v_run;
    return query select v_run, x.verdict from run_machine.recover(v_run, p_max_recoveries) x;
  end loop;
end $$;
