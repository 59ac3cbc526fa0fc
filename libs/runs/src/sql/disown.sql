-- Takes from p_worker the runs that it owns without knowing of them: the answer to its claim was lost, or the claim arrived
-- after the worker had given up on it and had claimed again. They have no living owner then, which is what recover looks for.
-- p_known are the runs in its hands, claims that are younger than p_older_ms may still be on their way to it. Should the worker
-- learn of such a run after all, its first write is fenced. How many it was.
create or replace function run_machine.disown(p_worker text, p_known text[], p_older_ms integer) returns integer
language plpgsql volatile as $$
declare
  v_disowned integer;
begin
  with forgotten as materialized (
    select r.id from runs r
     where r.worker_id = p_worker and r.status = 'running' and not r.id = any (p_known)
       and r.claimed_at < clock_timestamp() - p_older_ms * interval '1 millisecond'
     for no key update skip locked)
  update runs r set worker_id = p_worker || '/forgotten' from forgotten where r.id = forgotten.id;
  get diagnostics v_disowned = row_count;
  return v_disowned;
end $$;
