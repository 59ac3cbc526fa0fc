-- Returns up to p_limit runs of workers whose lease has expired. The caller passes each run to recover. This function
-- locks no rows, because recover checks each run again.
create or replace function run_machine.lost_runs(p_limit integer) returns table (run_id text)
language sql stable as $$
  select r.id from runs r
   where r.status = 'running'
     and not exists (select from workers k where k.id = r.worker_id and k.lease_until > statement_timestamp())
   limit p_limit
$$;
