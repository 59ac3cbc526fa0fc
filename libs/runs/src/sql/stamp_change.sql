-- When the status of a run changes, stores the id of the changing transaction in the run. A reader that stores which
-- transactions it has seen can find all later changes, even if transactions do not commit in the order of their ids.
-- Other updates do not change this id, so they do not write its index.
create or replace function run_machine.stamp_change() returns trigger
language plpgsql as $$
begin
  new.change_xid := run_machine.current_xid();
  return new;
end $$;

-- Creates the trigger only if it is missing, because replacing a trigger locks the table.
do $$ begin
  if not exists (select from pg_trigger where tgname = 'runs_stamp_change' and tgfoid = 'run_machine.stamp_change'::regproc) then
    drop trigger if exists runs_stamp_change on runs;
    create trigger runs_stamp_change before update of status on runs
      for each row when (new.status is distinct from old.status) execute function run_machine.stamp_change();
  end if;
end $$;
