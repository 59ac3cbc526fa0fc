-- Records the trials of an evaluation: p_trials [{n, caseN, caseName, trial, baseline, sourceRun}]. If a trial repeats
-- a recorded run (sourceRun), also exempts this run from retention.
create or replace function evaluation.plan_trials(p_evaluation text, p_workspace text, p_trials jsonb) returns void
language plpgsql volatile as $$
declare
  v_sources text[];
begin
  insert into evaluation_trials (evaluation_id, workspace_id, n, case_n, case_name, trial, baseline, source_run)
    select p_evaluation, p_workspace, x.* from jsonb_to_recordset(p_trials)
      as x(n integer, "caseN" integer, "caseName" text, trial integer, baseline boolean, "sourceRun" text);
  select array_agg(x ->> 'sourceRun') into v_sources from jsonb_array_elements(p_trials) x where x ->> 'sourceRun' is not null;
  if v_sources is not null then perform run_machine.keep_runs(v_sources); end if;
end $$;
