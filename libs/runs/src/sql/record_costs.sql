-- Records the costs of model turns: [{n, cost: {provider, model, input, output, cacheRead, cacheWrite, reasoning,
-- micros, currency, partial}}, ...].
-- Ignores entries without a cost. The caller has locked the run. Costs are recorded even if the run has ended, because
-- the provider charges for them. A turn counts once, even if its cost is reported several times.
--
-- The cost of the run is marked as partial if it may be too low, in three cases: a reported cost is partial, the price
-- is in another currency than the run, or an earlier attempt of the turn was interrupted. The provider may have charged
-- for the interrupted attempt.
create or replace function run_machine.record_costs(p_run text, p_results jsonb) returns void
language plpgsql volatile as $$
declare
  v_workspace text;
  v_agent text;
  v_turns jsonb;
begin
  with reported as (
    select s.n, s.path, c.*, c.currency = r.currency as is_countable, c.partial or c.currency is distinct from r.currency
        or exists (select from run_steps b where b.run_id = p_run and b.path = s.path and b.state = 'interrupted') as is_partial,
        r.workspace_id, r.agent_id
      from jsonb_to_recordset(p_results) as x(n integer, cost jsonb),
        lateral jsonb_to_record(x.cost) as c(provider text, model text, input bigint, output bigint, "cacheRead" bigint, "cacheWrite" bigint,
          reasoning bigint, micros bigint, currency text, partial boolean),
        run_steps s, runs r
     where jsonb_typeof(x.cost) = 'object' and s.run_id = p_run and s.n = x.n and s.cost_micros is null and r.id = p_run
  ), counted as (
    update run_steps s set cost_micros = case when t.is_countable then t.micros else 0 end
      from reported t where s.run_id = p_run and s.n = t.n
    returning t.*, s.cost_micros
  ), settled as (
    delete from budget_reservations b using counted t where b.run_id = p_run and b.path = t.path
  ), summed as (
    update runs r
       set cost_micros = r.cost_micros + t.cost_micros, cost_partial = r.cost_partial or t.is_partial,
           input_tokens = r.input_tokens + t.input, output_tokens = r.output_tokens + t.output,
           cache_read_tokens = r.cache_read_tokens + t.cache_read, cache_write_tokens = r.cache_write_tokens + t.cache_write,
           reasoning_tokens = r.reasoning_tokens + t.reasoning
      from (select sum(c.cost_micros) as cost_micros, bool_or(c.is_partial) as is_partial, sum(c.input) as input, sum(c.output) as output,
          coalesce(sum(c."cacheRead"), 0) as cache_read, coalesce(sum(c."cacheWrite"), 0) as cache_write,
          coalesce(sum(c.reasoning), 0) as reasoning
        from counted c having count(*) > 0) t
     where r.id = p_run
  )
  select t.workspace_id, t.agent_id, to_jsonb(array_agg(jsonb_build_object('provider', t.provider, 'model', t.model, 'input', t.input,
      'output', t.output, 'micros', t.micros, 'currency', t.currency, 'partial', t.is_partial)))
    into v_workspace, v_agent, v_turns from counted t group by 1, 2;
  if found then perform run_machine.record_usage(v_workspace, v_agent, v_turns); end if;
end $$;
