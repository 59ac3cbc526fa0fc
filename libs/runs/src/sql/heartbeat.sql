-- Extends the lease of a live worker. Returns those of the runs p_runs (with their attempts) that the worker no longer
-- owns. If `alive` is false, the lease has expired and other workers may have claimed its runs, so the worker must stop
-- immediately.
create or replace function run_machine.heartbeat(p_worker text, p_lease_ms integer, p_runs text[], p_attempts integer[])
returns table (alive boolean, lost text[])
language plpgsql volatile as $$
begin
  update workers k set lease_until = clock_timestamp() + p_lease_ms * interval '1 millisecond'
   where k.id = p_worker and k.lease_until > clock_timestamp();
  return query select found, array(
    select mine.run_id from unnest(p_runs, p_attempts) as mine(run_id, attempt)
     where not exists (
       select from runs r where r.id = mine.run_id and r.status = 'running' and r.attempt = mine.attempt and r.worker_id = p_worker));
end $$;
