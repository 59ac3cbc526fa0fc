-- Ends a worker's lease at once, so that its remaining runs are recovered without waiting for the lease to expire.
create or replace function run_machine.retire_worker(p_worker text) returns void
language sql volatile as $$
  delete from workers k where k.id = p_worker
$$;
