-- Writes what became of calls that attempt p_attempt had begun: [{n, state, output, error, detail}]. The state `ready`
-- takes a call back whose bytes never left: the caller vouches for that.
-- Done whatever happened to the run meanwhile, so that the trace tells the truth about calls that were made.
create or replace function run_machine.record_results(p_run text, p_attempt integer, p_results jsonb) returns void
language sql volatile as $$
  update run_steps s
     set state = x.state, output = x.output, error = x.error, detail = coalesce(s.detail || x.detail, s.detail, x.detail),
         ended_at = case when x.state in ('ready', 'in_doubt') then null else clock_timestamp() end
    from jsonb_to_recordset(p_results) as x(n integer, state text, output jsonb, error jsonb, detail jsonb)
   where s.run_id = p_run and s.n = x.n and s.attempt = p_attempt and s.state in ('started', 'in_doubt')
$$;
