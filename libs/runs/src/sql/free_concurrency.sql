-- Called when the run v has ended. If the concurrency limit of its agent has deferred other runs, makes the oldest of
-- them due immediately.
create or replace function run_machine.free_concurrency(v runs) returns void
language plpgsql volatile as $$
begin
  update runs r set wake_at = clock_timestamp()
   where r.id = (
     select q.id from runs q
      where q.agent_id = v.agent_id and q.status = 'queued' and q.attempt = 0 and q.wake_at > clock_timestamp() and q.wake_at <> 'infinity'
        and (v.concurrency_max is not null or q.concurrency_key is not distinct from v.concurrency_key)
      order by q.id limit 1 for no key update skip locked);
end $$;
