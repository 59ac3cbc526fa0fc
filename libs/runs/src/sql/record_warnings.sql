-- Copies the warnings in the details of call results (detail.warning {code, message}) to the run, at most one for each
-- call. A run gets at most 20 warnings.
create or replace function run_machine.record_warnings(p_run text, p_results jsonb) returns void
language sql volatile as $$
  update runs r set warnings = r.warnings || found.warnings
    from (
      select to_jsonb(array_agg(jsonb_build_object('code', x.detail -> 'warning' ->> 'code', 'message', x.detail -> 'warning' ->> 'message',
          'step', run_machine.step_of(s.path), 'n', s.n) order by s.n)) as warnings
        from jsonb_to_recordset(p_results) as x(n integer, detail jsonb)
          join run_steps s on s.run_id = p_run and s.n = x.n
          join runs own on own.id = p_run
       where x.detail ? 'warning' and not own.warnings @> jsonb_build_array(jsonb_build_object('n', s.n))
    ) found
   where r.id = p_run and found.warnings is not null and jsonb_array_length(r.warnings) < 20
$$;
