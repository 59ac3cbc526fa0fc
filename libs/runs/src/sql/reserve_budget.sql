-- Reserves p_micros of the agent's daily budget for one model turn of a run. If the costs of today and the reservations
-- of other turns use up the budget, returns false and reserves nothing. A repeated turn replaces its own reservation.
-- Reservations of ended runs do not count.
create or replace function run_machine.reserve_budget(
  p_workspace text, p_agent text, p_run text, p_path text, p_currency text, p_limit bigint, p_micros bigint
) returns boolean
language plpgsql volatile as $$
begin
  -- Makes concurrent reservations of one agent run one after another. A separate statement takes the lock, so that the
  -- next statement sees the reservation of the transaction that held the lock before.
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
