-- One person's decision about an approval. The decision that completes it is carried out in the same commit.
-- p_groups: the groups of the person; p_is_admin counts where the approval names no group.
--
-- verdict: decided | recorded (more approvers are needed) | repeated (the same person said the same before)
--          | closed | stopped | not_found | not_an_approver | self_approval | not_allowed (the decision's word)
create or replace function run_machine.decide(
  p_workspace text, p_run text, p_approval text, p_decision text, p_actor text, p_groups text[], p_is_admin boolean,
  p_comment text, p_request jsonb
) returns table (verdict text)
language plpgsql volatile as $$
declare
  fence record;
  v runs%rowtype;
  a approvals%rowtype;
  v_approvals integer;
begin
  fence := run_machine.workspace_fence(p_workspace);
  select * into v from runs r where r.id = p_run and r.workspace_id = p_workspace for no key update;
  select * into a from approvals x where x.id = p_approval and x.run_id = p_run and x.workspace_id = p_workspace for no key update;
  if v.id is null or a.id is null then
    return query select 'not_found';
  elsif exists (select from jsonb_array_elements(a.decisions) d where d ->> 'by' = p_actor and d ->> 'decision' = p_decision) then
    return query select 'repeated';
  elsif a.status <> 'open' then
    return query select 'closed';
  elsif not (a.approvers && p_groups or (a.approvers = '{}' and p_is_admin)) then
    return query select 'not_an_approver';
  elsif not a.self_approval and v.initiator = p_actor then
    return query select 'self_approval';
  elsif not p_decision = any (a.allowed_decisions) then
    return query select 'not_allowed';
  elsif fence.state <> 'active' and p_decision <> 'reject' then
    return query select 'stopped';
  else
    a.decisions := case
      -- Whoever approved before approved another request; a person has one voice.
      when p_decision = 'edit' then '[]'
      else coalesce((select jsonb_agg(d) from jsonb_array_elements(a.decisions) d where d ->> 'by' <> p_actor), '[]') end
      || jsonb_build_object('by', p_actor, 'decision', p_decision, 'comment', p_comment, 'at', clock_timestamp());
    update approvals x set decisions = a.decisions, request = coalesce(p_request, x.request) where x.id = a.id;
    if p_request is not null then
      update run_steps s set request = p_request where s.run_id = p_run and s.n = a.n;
    end if;
    select count(*) into v_approvals from jsonb_array_elements(a.decisions);
    if p_decision in ('approve', 'edit') and v_approvals < a.required then
      return query select 'recorded';
      return;
    end if;
    perform run_machine.close_approval(a.id, case when p_decision in ('reject', 'mark_failed') then 'rejected' else 'approved' end, p_decision);
    perform run_machine.emit('approval.decided', p_run, jsonb_build_object('approval', a.id, 'decision', p_decision, 'by', p_actor));
    return query select 'decided';
  end if;
end $$;
