-- Starts the runs of pending trials: p_runs [{n, run, version, trigger, input, labels, source}]. The caller holds the
-- lock of the evaluation, so no trial is started twice. The runs are exempt from the queue time limit and the
-- concurrency limit of the definition.
-- verdict: `ok`, or the verdict of create_run that prevented the next run
-- started: ids of the started runs
create or replace function evaluation.start_trials(
  p_workspace text, p_agent text, p_evaluation text, p_initiator text, p_currency text, p_runs jsonb
) returns table (verdict text, started text[])
language plpgsql volatile as $$
declare
  x record;
  v_verdict text := 'ok';
  v_started text[] := '{}';
begin
  for x in
    select * from jsonb_to_recordset(p_runs)
      as y(n integer, run text, version integer, trigger jsonb, input jsonb, labels jsonb, source text)
  loop
    select c.verdict into v_verdict from run_machine.create_run(x.run, p_workspace, p_agent, x.version, true, 'test', x.trigger,
      x.input, x.labels, p_initiator, p_currency, null, null, null, '{}') c;
    exit when v_verdict <> 'created';
    v_verdict := 'ok';
    if x.source is not null then perform run_machine.set_replayed_run(x.run, x.source); end if;
    update evaluation_trials t set status = 'running', run_id = x.run where t.evaluation_id = p_evaluation and t.n = x.n;
    v_started := v_started || x.run;
  end loop;
  perform run_machine.keep_runs(v_started);
  return query select v_verdict, v_started;
end $$;
