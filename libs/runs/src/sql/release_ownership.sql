-- Takes from p_worker the runs that it owns without knowing it: the answer to its claim was lost, or the claim
-- committed after the worker had given up on it and had claimed again. p_known are the runs that the worker has.
-- Claims younger than p_older_ms are left alone, because their answer may still be on its way. The runs are recovered
-- in the same commit, so if the worker learns of such a run later, its first write is fenced. verdict: requeued |
-- failed (see recover)
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
    -- recover only takes runs without a live owner.
    update runs r set worker_id = p_worker || '/forgotten' where r.id = v_run;
    return query select v_run, x.verdict from run_machine.recover(v_run, p_max_recoveries) x;
  end loop;
end $$;
