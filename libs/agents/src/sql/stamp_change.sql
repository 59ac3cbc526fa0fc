-- Stores the id of the changing transaction in the agent, so that a reader that stores which transactions it has seen
-- can find all later changes.
create or replace function agents.stamp_change() returns trigger
language plpgsql as $$
begin
  new.change_xid := pg_current_xact_id()::text::bigint;
  return new;
end $$;

-- Creates the trigger only if it is missing, because replacing a trigger locks the table.
do $$ begin
  if not exists (select from pg_trigger where tgname = 'agents_stamp_change' and tgfoid = 'agents.stamp_change'::regproc) then
    drop trigger if exists agents_stamp_change on agents;
    create trigger agents_stamp_change before insert or update on agents
      for each row execute function agents.stamp_change();
  end if;
end $$;
