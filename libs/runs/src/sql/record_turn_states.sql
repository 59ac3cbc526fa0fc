-- Records the opaque parts of model turns: [{n, opaque: {origin, sealed}}, ...]. `sealed` is in base64. It is missing if
-- the parts were not kept. Ignores a turn that attempt p_attempt is not executing any more.
create or replace function run_machine.record_turn_states(p_run text, p_attempt integer, p_results jsonb) returns void
language sql volatile as $$
  insert into turn_states (run_id, n, workspace_id, origin, sealed)
    select p_run, s.n, s.workspace_id, x.opaque ->> 'origin', decode(x.opaque ->> 'sealed', 'base64')
      from jsonb_to_recordset(p_results) as x(n integer, opaque jsonb)
        join run_steps s on s.run_id = p_run and s.n = x.n
     where jsonb_typeof(x.opaque) = 'object' and s.attempt = p_attempt and s.state = 'started'
  on conflict do nothing
$$;

-- Returns the sealed opaque parts of the turns at these positions of a run.
create or replace function run_machine.turn_states(p_run text, p_workspace text, p_positions integer[])
returns table (n integer, sealed bytea)
language sql stable as $$
  select t.n, t.sealed from turn_states t
   where t.run_id = p_run and t.workspace_id = p_workspace and t.n = any (p_positions) and t.sealed is not null
$$;
