-- Notes that a run which another run waits for has ended, and brings its parent forward. The caller holds the row lock of the
-- child. Two runs are never waited for: a parent that somebody else has locked is left to tell_parents.
create or replace function run_machine.child_ended(p_run text) returns void
language plpgsql volatile as $$
begin
  update child_runs c set state = 'ended' where c.run_id = p_run and c.state = 'open';
  if found then perform run_machine.bring_parent_forward(p_run); end if;
end $$;

-- A parent that waits is queued for a later time; one that is held by a stop goes on with the resume.
create or replace function run_machine.bring_parent_forward(p_child text) returns void
language sql volatile as $$
  update runs r set wake_at = clock_timestamp()
   where r.id = (select p.id from runs p join child_runs c on c.parent_run_id = p.id
                  where c.run_id = p_child and p.status = 'queued' and p.wake_at > clock_timestamp() and p.wake_at <> 'infinity'
                  for no key update of p skip locked)
$$;
