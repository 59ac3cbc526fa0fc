-- Maintains listed_runs. This table has one row for each run, with the columns that never change and by which lists
-- filter.
create or replace function run_machine.list_run() returns trigger
language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from listed_runs l where l.workspace_id = old.workspace_id and l.id = old.id;
  else
    insert into listed_runs (workspace_id, id, agent_id, version, mode, trigger_type, initiator, mcp_client)
      values (new.workspace_id, new.id, new.agent_id, new.version, new.mode, new.trigger ->> 'type', new.initiator,
        new.labels ->> 'mcp_client')
      on conflict do nothing;
  end if;
  return null;
end $$;

-- Creates the trigger only if it is missing, because replacing a trigger locks the table.
do $$ begin
  if not exists (select from pg_trigger where tgname = 'runs_list' and tgfoid = 'run_machine.list_run'::regproc) then
    create trigger runs_list after insert or delete on runs for each row execute function run_machine.list_run();
  end if;
end $$;
