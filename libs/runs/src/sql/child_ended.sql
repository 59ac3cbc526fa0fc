-- Records that a child run has ended, and makes its parent run due. The caller holds the row lock of the child run. The
-- function never waits for the lock of the parent. If the parent is locked, sweep_child_runs makes it due later.
create or replace function run_machine.child_ended(p_run text) returns void
language plpgsql volatile as $$
begin
  update child_runs c set state = 'ended' where c.run_id = p_run and c.state = 'open';
  if found then perform run_machine.bring_parent_forward(p_run); end if;
end $$;

-- Makes the parent run due if it is queued for a later time. If a stop has suspended the parent, it continues after the
-- resume.
create or replace function run_machine.bring_parent_forward(p_child text) returns void
language sql volatile as $$
  update runs r set wake_at = clock_timestamp()
   where r.id = (select p.id from runs p join child_runs c on c.parent_run_id = p.id
                  where c.run_id = p_child and p.status = 'queued' and p.wake_at > clock_timestamp() and p.wake_at <> 'infinity'
                  for no key update of p skip locked)
$$;
