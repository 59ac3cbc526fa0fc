-- Ends a run with its last results and notes, in one commit with its `run.completed` event.
-- verdict: ok (also if the same p_op had already ended the run and its response was lost) | cancelled | fenced
create or replace function run_machine.finish(
  p_run text, p_attempt integer, p_op uuid, p_results jsonb, p_notes jsonb, p_status text, p_output jsonb, p_error jsonb
) returns table (verdict text)
language plpgsql volatile as $$
declare
  v runs%rowtype;
begin
  select * into v from runs r where r.id = p_run for no key update;
  if p_results is not null then perform run_machine.record_results(p_run, p_attempt, p_results); end if;
  if v.status = 'running' and v.attempt = p_attempt then
    perform run_machine.end_run(v, p_op, p_notes, p_status, p_output, p_error);
    return query select 'ok';
  else
    return query select case when v.last_op = p_op then 'ok' when v.status = 'cancelled' then 'cancelled' else 'fenced' end;
  end if;
end $$;

-- Makes several calls in one commit, with each parameter as an array. `call` is the index of the call, starting at 1.
-- try_lock_run explains which calls are omitted.
create or replace function run_machine.finish_batch(
  p_runs text[], p_attempts integer[], p_ops uuid[], p_results jsonb[], p_notes jsonb[], p_statuses text[], p_outputs jsonb[], p_errors jsonb[]
) returns table (call integer, verdict text)
language plpgsql volatile set lock_timeout = '50ms' as $$
begin
  for i in 1 .. cardinality(p_runs) loop
    continue when not run_machine.try_lock_run(p_runs[i], null);
    return query select i, f.verdict from run_machine.finish(p_runs[i], p_attempts[i], p_ops[i], p_results[i], p_notes[i], p_statuses[i],
      p_outputs[i], p_errors[i]) f;
  end loop;
end $$;
