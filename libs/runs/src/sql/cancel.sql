-- Cancels a run that has not ended. The worker of the run detects the cancellation by the notification, or by its next
-- heartbeat or write. The outcome of a running call is still recorded. An open approval is closed as cancelled.
-- verdict: cancelled | already_cancelled | ended | not_found
create or replace function run_machine.cancel(p_workspace text, p_run text, p_reason text, p_actor text)
returns table (verdict text)
language plpgsql volatile as $$
declare
  v runs%rowtype;
begin
  select * into v from runs r where r.id = p_run and r.workspace_id = p_workspace for no key update;
  if not found then
    return query select 'not_found';
  elsif v.status = 'cancelled' then
    return query select 'already_cancelled';
  elsif v.ended_at is not null then
    return query select 'ended';
  else
    perform run_machine.end_cancelled(v, p_reason, p_actor);
    return query select 'cancelled';
  end if;
end $$;
