-- Cancels a run that has not ended. The worker that has it learns of it by the notification, at the latest at its next
-- beat or write; a call under way keeps its row and gets its outcome recorded. Its open approval is closed as cancelled.
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
