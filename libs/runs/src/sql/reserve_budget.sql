-- Sets p_micros of the agent's budget for today aside for one turn of a run, unless the budget is used up already: by what was
-- spent and by what other turns under way have set aside. False: it is, and nothing is set aside. The same turn again replaces
-- what it had set aside; what the turns of ended runs have left behind does not count.
create or replace function run_machine.reserve_budget(
  p_workspace text, p_agent text, p_run text, p_path text, p_currency text, p_limit bigint, p_micros bigint
) returns boolean
language plpgsql volatile as $$
begin
  -- Turns of one agent come one after the other here. In a statement of its own: the next one sees what the last one did.
  perform pg_advisory_xact_lock(hashtextextended('budget:' || p_agent, 0));
  delete from budget_reservations b using runs r
   where b.agent_id = p_agent and r.id = b.run_id and (r.ended_at is not null or (b.run_id = p_run and b.path = p_path));
  if run_machine.spent_today(p_workspace, p_agent, p_currency)
      + (select coalesce(sum(b.micros), 0) from budget_reservations b where b.agent_id = p_agent) >= p_limit then
    return false;
  end if;
  insert into budget_reservations (run_id, path, agent_id, micros) values (p_run, p_path, p_agent, p_micros);
  return true;
end $$;
