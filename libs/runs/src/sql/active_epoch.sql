-- Returns the epoch of the workspace, or the previous epoch while the workspace is stopped. The previous epoch is used
-- for notes that are written during a stop. No step therefore has an even epoch: an even epoch would prove that a step
-- began while its workspace was stopped.
create or replace function run_machine.active_epoch(p_workspace text) returns bigint
language plpgsql stable as $$
begin
  return (select w.epoch - (w.state = 'stopped')::integer from workspaces w where w.id = p_workspace);
end $$;
