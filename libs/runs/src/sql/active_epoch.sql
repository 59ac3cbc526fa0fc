-- Returns the epoch of the workspace (its number of stops and resumes). While the workspace is stopped, returns the
-- previous epoch. A step that is recorded during a stop therefore never has an even epoch. A step with an even epoch
-- would prove that its call began while the workspace was stopped.
create or replace function run_machine.active_epoch(p_workspace text) returns bigint
language plpgsql stable as $$
begin
  return (select w.epoch - (w.state = 'stopped')::integer from workspaces w where w.id = p_workspace);
end $$;
