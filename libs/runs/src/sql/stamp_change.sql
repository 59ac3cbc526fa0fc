-- Each statement that changes the status of a run stores the id of its transaction in `change_xid`. A reader that stores
-- which transactions it has seen can find all later changes, even if transactions do not commit in the order of their
-- ids. Other updates do not change this id, so they do not write its index. Earlier releases had a trigger for this,
-- which cost each update of a run a second lock of its row.
do $$ begin
  if exists (select from pg_trigger where tgname = 'runs_stamp_change') then
    drop trigger runs_stamp_change on runs;
  end if;
end $$;
