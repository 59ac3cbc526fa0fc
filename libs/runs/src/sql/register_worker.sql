-- Registers a new worker process with its lease. A process that lost its lease registers again with another id.
create or replace function run_machine.register_worker(p_worker text, p_host text, p_pid integer, p_lease_ms integer) returns void
language sql volatile as $$
  insert into workers (id, host, pid, lease_until)
    values (p_worker, p_host, p_pid, clock_timestamp() + p_lease_ms * interval '1 millisecond')
$$;
