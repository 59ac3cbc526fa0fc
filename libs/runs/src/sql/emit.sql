-- Writes an event about a run into the outbox, in the transaction that makes it true.
create or replace function run_machine.emit(p_type text, p_run text, p_more jsonb) returns void
language plpgsql volatile as $$
declare
  v runs%rowtype;
begin
  select * into v from runs r where r.id = p_run;
  perform run_machine.emit_about(v, p_type, p_more);
end $$;

-- The same for a caller that has the run at hand, as it is now.
create or replace function run_machine.emit_about(v runs, p_type text, p_more jsonb) returns void
language plpgsql volatile as $$
begin
  insert into events (id, workspace_id, run_id, type, data)
    values (run_machine.new_id('evt'), v.workspace_id, v.id, p_type,
      jsonb_build_object('run', v.id, 'agent', v.agent_id, 'version', v.version, 'status', v.status) || p_more);
end $$;
