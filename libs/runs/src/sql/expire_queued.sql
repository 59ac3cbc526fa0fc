-- Fails up to p_limit runs that no worker has begun within their queue_ttl, and adds a step to their traces. Returns
-- the number of failed runs. Runs of a stopped workspace do not fail.
create or replace function run_machine.expire_queued(p_limit integer) returns integer
language plpgsql volatile as $$
declare
  due runs%rowtype;
  v_error jsonb := jsonb_build_object('code', 'queue_expired', 'step', null,
    'message', 'The run waited in the queue for longer than its queue_ttl.');
  v_expired integer := 0;
begin
  for due in
    select * from runs r
     where r.status = 'queued' and r.attempt = 0 and r.queue_deadline <= statement_timestamp()
       and exists (select from workspaces w where w.id = r.workspace_id and w.state = 'active')
     order by r.queue_deadline limit p_limit for no key update skip locked
  loop
    perform run_machine.end_run(due, null, run_machine.ending_note('error', 'failed', '', v_error), 'failed', null, v_error);
    v_expired := v_expired + 1;
  end loop;
  return v_expired;
end $$;
