-- Returns the epoch of the workspace or, while the workspace is stopped, the previous epoch. Steps that are recorded
-- during a stop therefore never have an even epoch. An even epoch would prove that a call began while its workspace was
-- stopped.
create or replace function run_machine.active_epoch(p_workspace text) returns bigint
language plpgsql stable as $$
begin
  return (select w.epoch - (w.state = 'stopped')::integer from workspaces w where w.id = p_workspace);
end $$;
