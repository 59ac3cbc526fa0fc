-- Returns the cost of an agent's runs today (UTC), in millionths of p_currency. Costs in another currency do not count.
create or replace function run_machine.spent_today(p_workspace text, p_agent text, p_currency text) returns bigint
language sql stable as $$
  select coalesce(sum(u.cost_micros), 0)::bigint from model_usage u
   where u.workspace_id = p_workspace and u.agent_id = p_agent and u.currency = p_currency
     and u.day = (clock_timestamp() at time zone 'UTC')::date
$$;
