-- Cancels up to p_limit runs of archived agents that no worker has begun, and returns their number. Runs that have
-- begun continue to their end. A start that overlaps with the archiving may commit a run a little later. Therefore the
-- function must be called again some time after the archiving. If p_agent is null, the function cancels the runs of all
-- archived agents, otherwise only those of this agent.
create or replace function run_machine.cancel_archived_runs(p_agent text, p_limit integer) returns integer
language plpgsql volatile as $$
declare
  v_agent record;
  v_run runs%rowtype;
  v_cancelled integer := 0;
begin
  for v_agent in
    select a.id, a.workspace_id, a.sweep_until <= clock_timestamp() as swept from agents a
     where a.sweep_until is not null and a.status = 'archived' and (p_agent is null or a.id = p_agent) order by a.sweep_until
  loop
    exit when v_cancelled >= p_limit;
    for v_run in
      select r.* from runs r
       where r.workspace_id = v_agent.workspace_id and r.status = 'queued' and r.agent_id = v_agent.id and r.attempt = 0
       order by r.id limit p_limit - v_cancelled for no key update skip locked
    loop
      perform run_machine.end_cancelled(v_run, 'The agent was archived.', null);
      v_cancelled := v_cancelled + 1;
      v_agent.swept := false;
    end loop;
    if v_agent.swept then perform agents.finish_sweep(v_agent.id); end if;
  end loop;
  return v_cancelled;
end $$;
