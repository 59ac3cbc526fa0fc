-- Ends a worker's lease at once, so that whatever it still holds is recovered without waiting for the lease to run out.
create or replace function run_machine.retire_worker(p_worker text) returns void
language sql volatile as $$
  delete from workers k where k.id = p_worker
$$;
