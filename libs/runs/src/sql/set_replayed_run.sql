-- Records that a new run repeats a recorded one. For the transaction that creates the run.
create or replace function run_machine.set_replayed_run(p_run text, p_replayed text) returns void
language sql volatile as $$
  update runs r set replay_of = p_replayed where r.id = p_run
$$;
