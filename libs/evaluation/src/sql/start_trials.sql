-- Starts the runs of pending trials: p_runs [{n, run, version, trigger, input, labels, files, source}]. The caller holds the
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
    select y.n, y.run, y.source, y.call
      from rows from (jsonb_to_recordset(p_runs) as (n integer, run text, source text), jsonb_array_elements(p_runs))
        as y(n, run, source, call)
  loop
    select c.verdict into v_verdict from run_machine.create_run(x.call || jsonb_build_object('workspace', p_workspace, 'agent', p_agent,
      'pinned', true, 'mode', 'test', 'initiator', p_initiator, 'currency', p_currency)) c;
    exit when v_verdict <> 'created';
    v_verdict := 'ok';
    if x.source is not null then perform run_machine.set_replayed_run(x.run, x.source); end if;
    update evaluation_trials t set status = 'running', run_id = x.run where t.evaluation_id = p_evaluation and t.n = x.n;
    v_started := v_started || x.run;
  end loop;
  perform run_machine.keep_runs(v_started);
  return query select v_verdict, v_started;
end $$;
