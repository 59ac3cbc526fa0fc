-- Returns the epoch of the workspace, or the previous epoch while the workspace is stopped. The epoch starts at 1, and
-- each stop and each resume increments it, so it is even while the workspace is stopped. A step that is recorded during
-- a stop gets the previous, odd epoch. A step with an even epoch would prove that its call began during a stop.
create or replace function run_machine.active_epoch(p_workspace text) returns bigint
language plpgsql stable as $$
begin
  return (select w.epoch - (w.state = 'stopped')::integer from workspaces w where w.id = p_workspace);
end $$;
