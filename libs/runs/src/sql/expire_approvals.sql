-- Ids of open approvals whose time is over, with their runs, for expire_approval. Clocks stand still in a stopped workspace.
create or replace function run_machine.due_approvals(p_limit integer) returns table (approval_id text, run_id text)
language sql volatile as $$
  select a.id, a.run_id from approvals a
   where a.status = 'open' and a.expires_at <= clock_timestamp()
     and exists (select from workspaces w where w.id = a.workspace_id and w.state = 'active')
   order by a.expires_at limit p_limit
$$;

-- Ends an approval that nobody decided in time, by its own rule. Never approves.
create or replace function run_machine.expire_approval(p_approval text, p_run text) returns boolean
language plpgsql volatile as $$
declare
  fence record;
  v runs%rowtype;
begin
  select * into v from runs r where r.id = p_run;
  fence := run_machine.workspace_fence(v.workspace_id);
  perform from runs r where r.id = p_run for no key update;
  perform from approvals a where a.id = p_approval and a.status = 'open' and a.expires_at <= clock_timestamp() for no key update;
  if not found or fence.state <> 'active' then return false; end if;
  perform run_machine.close_approval(p_approval, 'expired', 'expire');
  perform run_machine.emit('approval.expired', p_run, jsonb_build_object('approval', p_approval));
  return true;
end $$;
