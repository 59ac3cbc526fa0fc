-- Records that the run v refers to files (see files.refer). The caller holds the row lock of the run.
create or replace function run_machine.refer_to_files(v runs, p_files jsonb) returns void
language plpgsql volatile as $$
begin
  if p_files is null or v.id is null then return; end if;
  if files.refer(run_machine.file_run(v), p_files) and not v.has_files then
    update runs r set has_files = true where r.id = v.id;
  end if;
end $$;

-- Like refer_to_files, for a caller that does not hold the lock of the run.
create or replace function run_machine.refer_run_to_files(p_run text, p_files jsonb) returns void
language plpgsql volatile as $$
declare
  v runs%rowtype;
begin
  select * into v from runs r where r.id = p_run for no key update;
  perform run_machine.refer_to_files(v, p_files);
end $$;

-- Returns the run in the form that files.refer takes.
create or replace function run_machine.file_run(v runs) returns jsonb
language sql stable as $$
  select jsonb_build_object('run', v.id, 'workspace', v.workspace_id, 'agent', v.agent_id, 'open', v.ended_at is null,
    'parent', case when v.trigger ->> 'type' = 'agent' then v.trigger ->> 'run' end)
$$;
