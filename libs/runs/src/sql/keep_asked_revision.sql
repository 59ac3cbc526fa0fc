-- Records that an assistant has asked its user about this revision of an approval. This decides nothing.
create or replace function run_machine.keep_asked_revision(p_workspace text, p_run text, p_approval text, p_revision integer)
returns void
language sql volatile as $$
  update approvals a set asked_revision = greatest(coalesce(a.asked_revision, 0), p_revision)
   where a.id = p_approval and a.run_id = p_run and a.workspace_id = p_workspace and p_revision <= a.request_revision
$$;
