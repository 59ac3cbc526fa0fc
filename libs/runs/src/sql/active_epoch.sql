-- The workspace's epoch, or the one before while it is stopped: what notes written during a stop carry. So no step has an even
-- epoch, and one that had would prove that something began while its workspace was stopped.
create or replace function run_machine.active_epoch(p_workspace text) returns bigint
language plpgsql stable as $$
begin
  return (select w.epoch - (w.state = 'stopped')::integer from workspaces w where w.id = p_workspace);
end $$;
