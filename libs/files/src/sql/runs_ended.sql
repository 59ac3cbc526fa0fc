-- Records that runs have ended. From now on, their files are kept for a limited time. The locks of the files make the
-- ends of two runs that share a file wait for each other, so the later one finds no open run.
create or replace function files.runs_ended(p_runs text[]) returns void
language plpgsql volatile as $$
declare
  v_files text[];
begin
  select array_agg(l.id) into v_files from (
    select f.id from files f where f.id in (select r.file_id from file_references r where r.run_id = any (p_runs) and r.open)
     order by f.id for no key update) l;
  update file_references r set open = false where r.run_id = any (p_runs) and r.open;
  update files f set used_until = clock_timestamp()
   where f.id = any (v_files) and not exists (select from file_references r where r.file_id = f.id and r.open);
end $$;

-- Forgets the references of deleted runs.
create or replace function files.runs_deleted(p_runs text[]) returns void
language sql volatile as $$
  delete from file_references r where r.run_id = any (p_runs);
$$;
