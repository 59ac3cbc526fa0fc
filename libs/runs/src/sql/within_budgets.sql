-- Returns the cost of a run so far, in millionths of its currency. Includes the costs of child runs at any depth that
-- have not been added to the run yet. Costs in another currency do not count.
create or replace function run_machine.family_cost(p_run text) returns numeric
language plpgsql stable as $$
begin
  return (
    with recursive family as (
      select r.id, r.cost_micros, r.currency from runs r where r.id = p_run
      union all
      select r.id, r.cost_micros, r.currency
        from family f
          join child_runs c on c.parent_run_id = f.id and c.state <> 'told'
          join runs r on r.id = c.run_id
    )
    select sum(f.cost_micros) from family f where f.currency = (select r.currency from runs r where r.id = p_run));
end $$;

-- Returns true if neither p_run nor any of its ancestors (parent, grandparent, ...) has used up its budget. p_budget is
-- the budget of p_run, or null if p_run has none.
create or replace function run_machine.within_budgets(p_run text, p_budget bigint) returns boolean
language plpgsql stable as $$
begin
  return not exists (
    with recursive callers as (
      select p_run collate "C" as id, p_budget as budget
      union all
      select c.parent_run_id, c.caller_budget_micros from callers r join child_runs c on c.run_id = r.id
    )
    select from callers r where r.budget is not null and run_machine.family_cost(r.id) >= r.budget);
end $$;

-- Returns whether the budgets of p_run and its ancestors allow p_run to begin a model turn. p_budget is the budget of
-- p_run or null, and p_currency is the currency of the model's price or null.
-- unlimited  none of these runs has a budget
-- uncounted  a budget cannot count the cost, because the model has no price or one of these runs has another currency
-- used_up    one of these budgets is used up
-- within     none of these budgets is used up
create or replace function run_machine.budget_verdict(p_run text, p_budget bigint, p_currency text) returns text
language plpgsql stable as $$
begin
  return (
    with recursive callers as (
      select p_run collate "C" as id, p_budget as budget
      union all
      select c.parent_run_id, c.caller_budget_micros from callers r join child_runs c on c.run_id = r.id
    )
    select case
      when not bool_or(f.budget is not null) then 'unlimited'
      when bool_or(r.currency is distinct from p_currency) then 'uncounted'
      when run_machine.within_budgets(p_run, p_budget) then 'within'
      else 'used_up' end
    from callers f join runs r on r.id = f.id);
end $$;
