-- Carries out how an approval ended: the step that waited for it, and the run. The caller holds both row locks and has
-- checked that the approval is open. p_decision: approve | edit | reject | mark_succeeded | mark_failed | retry | expire.
create or replace function run_machine.close_approval(p_approval text, p_status text, p_decision text) returns void
language plpgsql volatile as $$
declare
  a approvals%rowtype;
  v_consequence text;
  v_error jsonb;
begin
  update approvals x set status = p_status, decided_at = clock_timestamp() where x.id = p_approval returning * into a;
  v_consequence := case
    when p_decision in ('approve', 'edit', 'mark_succeeded', 'mark_failed', 'retry') then 'continue'
    when p_decision = 'expire' and a.on_timeout <> 'reject' then a.on_timeout
    else a.on_reject end;
  v_error := jsonb_build_object('step', (select split_part(s.path, '#', 1) from run_steps s where s.run_id = a.run_id and s.n = a.n)) ||
    case when p_decision = 'expire'
      then jsonb_build_object('code', 'approval_expired', 'message', format('Nobody decided on the approval %s in time.', a.policy))
      else jsonb_build_object('code', 'approval_rejected', 'message', format('The approval %s was rejected.', a.policy)) end;

  update run_steps s
     set state = case p_decision when 'approve' then 'ready' when 'edit' then 'ready' when 'retry' then 'interrupted'
           when 'mark_succeeded' then 'succeeded' when 'mark_failed' then 'failed' else 'rejected' end,
         ended_at = case when p_decision in ('approve', 'edit') then null else clock_timestamp() end,
         error = case p_decision when 'mark_failed' then jsonb_build_object('code', 'tool_error', 'step', s.path, 'message', 'A person found that the call had not happened.')
           when 'reject' then v_error when 'expire' then v_error else s.error end
   where s.run_id = a.run_id and s.n = a.n and s.type <> 'approval';
  update run_steps s
     set state = case when p_status = 'approved' then 'succeeded' when a.kind = 'in_doubt' then 'succeeded' else 'rejected' end, ended_at = clock_timestamp(),
         output = jsonb_build_object('decision', p_decision, 'decided_by', (select jsonb_agg(d -> 'by') from jsonb_array_elements(a.decisions) d),
           'comment', a.decisions -> -1 -> 'comment'),
         error = case when p_status = 'approved' or a.kind = 'in_doubt' then null else v_error end
   where s.run_id = a.run_id and s.type in ('approval', 'in_doubt') and s.state = 'awaiting_approval';

  if v_consequence = 'fail' then
    perform run_machine.end_run(a.run_id, 'failed', null, v_error);
  elsif v_consequence = 'hand_off' then
    perform run_machine.end_run(a.run_id, 'handed_off', jsonb_build_object('to', a.approvers, 'reason', v_error ->> 'message'), null);
  else
    -- A rejection while the workspace is stopped is recorded; the run goes on after the resume.
    update runs r set status = 'queued',
        wake_at = case when exists (select from workspaces w where w.id = r.workspace_id and w.state = 'active') then clock_timestamp() else 'infinity' end
     where r.id = a.run_id and r.status = 'waiting_approval';
  end if;
end $$;
