-- Records an event in the transaction of the caller. p_run is the run that the event is about, or null.
create or replace function events.emit(p_workspace text, p_run text, p_type text, p_data jsonb) returns void
language sql volatile as $$
  insert into events (id, workspace_id, run_id, type, data) values (platform.new_id('evt'), p_workspace, p_run, p_type, p_data)
$$;

-- Records several events of one type in the transaction of the caller. p_data[i] is about the run p_runs[i] of the
-- workspace p_workspaces[i].
create or replace function events.emit_all(p_type text, p_workspaces text[], p_runs text[], p_data jsonb[]) returns void
language sql volatile as $$
  insert into events (id, workspace_id, run_id, type, data)
    select platform.new_id('evt'), e.workspace, e.run, p_type, e.data from unnest(p_workspaces, p_runs, p_data) as e(workspace, run, data)
$$;
