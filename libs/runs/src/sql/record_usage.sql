-- Adds model turns to the usage of today: [{provider, model, input, output, micros, currency, partial}]. `micros` is
-- the cost in millionths of the currency.
create or replace function run_machine.record_usage(p_workspace text, p_agent text, p_turns jsonb) returns void
language sql volatile as $$
  insert into model_usage as u (workspace_id, agent_id, day, provider, model, currency, turns, input_tokens, output_tokens, cost_micros, partial_turns)
    select p_workspace, p_agent, (clock_timestamp() at time zone 'UTC')::date, x.provider, x.model, coalesce(x.currency, 'XXX'),
      count(*), sum(x.input), sum(x.output), sum(x.micros), count(*) filter (where x.partial)
    from jsonb_to_recordset(p_turns)
      as x(provider text, model text, input bigint, output bigint, micros bigint, currency text, partial boolean)
    group by 1, 2, 3, 4, 5, 6 order by 4, 5, 6
  on conflict (agent_id, day, provider, model, currency) do update
    set turns = u.turns + excluded.turns, input_tokens = u.input_tokens + excluded.input_tokens,
        output_tokens = u.output_tokens + excluded.output_tokens, cost_micros = u.cost_micros + excluded.cost_micros,
        partial_turns = u.partial_turns + excluded.partial_turns
$$;
