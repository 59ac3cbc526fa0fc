-- Returns the child run that the call p_call of p_parent started, or nothing if the call started none. If the child run
-- has ended, adds its cost to the parent. A compare-and-set of the state under the row lock of the parent ensures that
-- the cost is added only once. A cost in another currency is not added, and makes the cost of the parent partial.
create or replace function run_machine.take_child_run(p_workspace text, p_parent text, p_call text)
returns table (id text, agent_id text, status text, output jsonb, error jsonb)
language plpgsql volatile as $$
declare
  v_child text;
begin
  select c.run_id into v_child from child_runs c
   where c.workspace_id = p_workspace and c.parent_run_id = p_parent and c.call_key = p_call;
  if not found then return; end if;
  perform from runs r where r.id = p_parent for no key update;
  update child_runs c set state = 'told' where c.run_id = v_child and c.state = 'ended';
  if found then
    update runs p
       set cost_micros = p.cost_micros + case when c.currency = p.currency then c.cost_micros else 0 end,
           cost_partial = p.cost_partial or c.cost_partial or (c.currency <> p.currency and c.cost_micros > 0)
      from runs c where p.id = p_parent and c.id = v_child;
  end if;
  return query select r.id, r.agent_id, r.status, r.output, r.error from runs r where r.id = v_child;
end $$;
