-- Records an event in the caller's transaction. p_run is the run that the event is about, or null.
create or replace function events.emit(p_workspace text, p_run text, p_type text, p_data jsonb) returns void
language sql volatile as $$
  insert into events (id, workspace_id, run_id, type, data) values (platform.new_id('evt'), p_workspace, p_run, p_type, p_data)
$$;
