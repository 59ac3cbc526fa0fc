-- Releases a run between two steps: at the shutdown of the worker, or after a stop, when the running calls have ended.
-- The run is due immediately. If its workspace is stopped, the run is suspended instead.
-- verdict: released | cancelled (the run was cancelled) | fenced (the run no longer belongs to the caller)
create or replace function run_machine.release(p_run text, p_workspace text, p_attempt integer, p_results jsonb)
returns table (verdict text)
language plpgsql volatile as $$
declare
  v_stop record;
  v runs%rowtype;
begin
  v_stop := workspace.stop_lock(p_workspace);
  select * into v from runs r where r.id = p_run and r.workspace_id = p_workspace for no key update;
  if p_results is not null then perform run_machine.record_results(p_run, p_attempt, p_results); end if;
  if v.status = 'running' and v.attempt = p_attempt then
    perform run_machine.requeue_or_suspend(p_run, v_stop.state = 'active');
    return query select 'released';
  else
    return query select case when v.status = 'cancelled' then 'cancelled' else 'fenced' end;
  end if;
end $$;
