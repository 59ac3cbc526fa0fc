-- Records that a new run repeats a recorded run. The caller has created the new run in the same transaction.
create or replace function run_machine.set_replayed_run(p_run text, p_replayed text) returns void
language sql volatile as $$
  update runs r set replay_of = p_replayed where r.id = p_run
$$;
