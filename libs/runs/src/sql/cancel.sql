-- Cancels a run that has not ended. The worker of the run detects the cancellation by the notification, or by its next
-- heartbeat or write. The outcome of a running call is still recorded. An open approval is closed as cancelled.
-- verdict: cancelled | already_cancelled | ended | not_found
create or replace function run_machine.cancel(p_workspace text, p_run text, p_reason text, p_actor text)
returns table (verdict text)
language plpgsql volatile as $$
declare
  v runs%rowtype;
begin
  v := run_machine.take_run(p_workspace, p_run);
  if v.id is null then
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

-- Locks the run and returns its row, or null if there is no such run. Like the emergency stop, a cancellation must not
-- depend on the length of another statement. If transactions lock the run for longer than a second, the function
-- cancels their statements, and after another second it ends their sessions (see workspace.take_stop_lock).
create or replace function run_machine.take_run(p_workspace text, p_run text) returns runs
language plpgsql volatile as $$
declare
  v runs%rowtype;
  v_timeout text := current_setting('lock_timeout');
begin
  for v_attempt in 1..2 loop
    begin
      perform set_config('lock_timeout', '1s', true);
      select * into v from runs r where r.id = p_run and r.workspace_id = p_workspace for no key update;
      perform set_config('lock_timeout', v_timeout, true);
      return v;
    exception when lock_not_available then
      perform platform.end_blockers(platform.lockers_of(r.xmax), v_attempt > 1) from runs r where r.id = p_run;
    end;
  end loop;
  select * into v from runs r where r.id = p_run and r.workspace_id = p_workspace for no key update;
  return v;
end $$;
