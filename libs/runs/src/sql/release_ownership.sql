-- Takes from p_worker the runs that it owns without knowing of them: the answer to its claim was lost, or the claim arrived
-- after the worker had given up on it and had claimed again. p_known are the runs in its hands, claims that are younger than
-- p_older_ms may still be on their way to it. They are recovered in the same commit, so should the worker learn of such a run
-- after all, its first write is fenced.
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
    -- Without a living owner, which is what recover looks for.
    update runs r set worker_id = p_worker || '/forgotten' where r.id = v_run;
    return query select v_run, x.verdict from run_machine.recover(v_run, p_max_recoveries) x;
  end loop;
end $$;
