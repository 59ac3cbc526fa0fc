-- Maintains listed_runs. This table has one row for each run, with the columns that never change and by which lists
-- filter. One call lists all runs that a statement creates: a call for each run would cost a sixth of their creation.
create or replace function run_machine.list_created_runs() returns trigger
language plpgsql as $$
begin
  insert into listed_runs (workspace_id, id, agent_id, version, mode, trigger_type, initiator, mcp_client)
    select c.workspace_id, c.id, c.agent_id, c.version, c.mode, c.trigger ->> 'type', c.initiator, c.labels ->> 'mcp_client'
      from created c
    on conflict do nothing;
  return null;
end $$;

create or replace function run_machine.unlist_run() returns trigger
language plpgsql as $$
begin
  delete from listed_runs l where l.workspace_id = old.workspace_id and l.id = old.id;
  return null;
end $$;

-- Creates the triggers only if they are missing, because replacing a trigger locks the table.
do $$ begin
  if not exists (select from pg_trigger where tgname = 'runs_list_created' and tgfoid = 'run_machine.list_created_runs'::regproc) then
    drop trigger if exists runs_list on runs;
    drop function if exists run_machine.list_run();
    create trigger runs_list_created after insert on runs referencing new table as created
      for each statement execute function run_machine.list_created_runs();
    create trigger runs_unlist after delete on runs for each row execute function run_machine.unlist_run();
  end if;
end $$;
