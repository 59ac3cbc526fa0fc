-- Records an event about a run. The event contains the ids, the version and the status of the run, and the fields
-- p_more.
create or replace function run_machine.emit(p_type text, p_run text, p_more jsonb) returns void
language plpgsql volatile as $$
declare
  v runs%rowtype;
begin
  select * into v from runs r where r.id = p_run;
  perform run_machine.emit_about(v, p_type, p_more);
end $$;

-- Like emit, for callers that have already read the current row of the run.
create or replace function run_machine.emit_about(v runs, p_type text, p_more jsonb) returns void
language sql volatile as $$
  select events.emit(v.workspace_id, v.id, p_type,
    jsonb_build_object('run', v.id, 'agent', v.agent_id, 'version', v.version, 'status', v.status) || p_more)
$$;
