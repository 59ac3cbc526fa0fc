-- Records that a run refers to files. Ignores ids that the run may not use: an id in data from outside proves nothing.
-- A run may use a file that came into the service in this run, and a file to which this run, a run of the same agent, or
-- the parent or a child of the run refers.
--
-- p_run         {run, workspace, agent, parent, open}
--   parent        the run that called the agent, or null
--   open          false if the run has ended
-- p_references  [{file, place, step, redacted, granted?}]
--   granted       the caller has proven that the run may use the file
--
-- Returns whether the run refers to one of the files.
create or replace function files.refer(p_run jsonb, p_references jsonb) returns boolean
language plpgsql volatile as $$
declare
  c record;
  v_files text[];
begin
  select * into c from jsonb_to_record(p_run) as x(run text, workspace text, agent text, parent text, open boolean);
  select array_agg(l.id) into v_files from (
    select f.id from files f
     where f.workspace_id = c.workspace and f.id in (select x.file from jsonb_to_recordset(p_references) as x(file text))
       and (f.source_run = c.run
         or f.id in (select x.file from jsonb_to_recordset(p_references) as x(file text, granted boolean) where x.granted)
         or files.is_referred(f.id, c.run, c.agent, c.parent))
     order by f.id for no key update) l;
  if v_files is null then return false; end if;
  insert into file_references as r (run_id, file_id, place, workspace_id, agent_id, parent_run_id, step, redacted, open)
    select distinct on (x.file, x.place) c.run, x.file, x.place, c.workspace, c.agent, c.parent, x.step, x.redacted, c.open
      from jsonb_to_recordset(p_references) as x(file text, place text, step text, redacted boolean)
     where x.file = any (v_files)
     order by x.file, x.place, x.redacted desc
    on conflict on constraint file_references_pk do update set redacted = true where excluded.redacted and not r.redacted;
  if c.open then
    update files f set used_until = 'infinity' where f.id = any (v_files) and f.used_until is distinct from 'infinity';
  end if;
  return true;
end $$;

-- Whether this run, a run of the same agent, or the parent or a child of the run refers to the file.
create or replace function files.is_referred(p_file text, p_run text, p_agent text, p_parent text) returns boolean
language sql stable as $$
  select exists (select from file_references r
    where r.file_id = p_file and (r.agent_id = p_agent or r.run_id = p_parent or r.parent_run_id = p_run))
$$;

-- Gives a replay the references of the run that it repeats, for the input and for the steps p_steps that it copied.
create or replace function files.refer_again(p_run jsonb, p_source text, p_steps text[]) returns boolean
language plpgsql volatile as $$
declare
  v_references jsonb;
begin
  v_references := to_jsonb(array(
    select jsonb_build_object('file', r.file_id, 'place', r.place, 'step', r.step, 'redacted', r.redacted, 'granted', true)
      from file_references r
     where r.run_id = p_source and r.workspace_id = p_run ->> 'workspace' and r.step = any (p_steps)));
  return v_references <> '[]' and files.refer(p_run, v_references);
end $$;
