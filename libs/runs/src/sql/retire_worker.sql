-- Ends the lease of a worker immediately, so that its remaining runs can be recovered before the lease would expire.
create or replace function run_machine.retire_worker(p_worker text) returns void
language sql volatile as $$
  delete from workers k where k.id = p_worker
$$;
