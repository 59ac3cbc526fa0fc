-- Records the judgements of trial p_n, unless the trial already has judgements or is no longer running. The usage of
-- the judge model is always recorded, because the provider charges for it. The cost of the trial contains only usage in
-- p_currency, the currency of the evaluation.
create or replace function evaluation.record_judgements(
  p_workspace text, p_agent text, p_evaluation text, p_n integer, p_judgements jsonb, p_turns jsonb, p_currency text) returns void
language plpgsql volatile as $$
begin
  perform run_machine.record_usage(p_workspace, p_agent, p_turns);
  update evaluation_trials t
     set judgements = p_judgements,
         judge_cost_micros = (select coalesce(sum(x.micros) filter (where x.currency = p_currency), 0)
           from jsonb_to_recordset(p_turns) as x(micros bigint, currency text))
   where t.evaluation_id = p_evaluation and t.n = p_n and t.workspace_id = p_workspace
     and t.status = 'running' and t.judgements is null;
end $$;
