-- Writes an event about a run into the outbox, in the transaction that makes it true.
create or replace function run_machine.emit(p_type text, p_run text, p_more jsonb) returns void
language sql volatile as $$
  insert into events (id, workspace_id, run_id, type, data)
    select run_machine.new_id('evt'), r.workspace_id, r.id, p_type,
      jsonb_build_object('run', r.id, 'agent', r.agent_id, 'version', r.version, 'status', r.status) || p_more
    from runs r where r.id = p_run
$$;
